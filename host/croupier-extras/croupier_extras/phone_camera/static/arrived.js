// From a page by https the browser sends the cookies that it has of this host: the own seat is known there.
"use strict";

location.replace("/");
