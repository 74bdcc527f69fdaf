"""The simulated table: drawn cards, a camera above them, a shoe and people who play."""
