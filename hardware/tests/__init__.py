"""The tests of the machine: can its parts be printed, do they fit, is the way of a card free?"""
