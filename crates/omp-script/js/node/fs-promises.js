module.exports = require("fs").promises;
