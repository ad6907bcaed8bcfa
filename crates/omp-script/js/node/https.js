const own = require("http")._make("https:");
delete own.METHODS;
module.exports = { ...own, createServer: internal.missing("node:https.createServer") };
