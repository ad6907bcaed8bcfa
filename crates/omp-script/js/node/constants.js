module.exports = { ...require("os").constants.signals, ...require("os").constants.errno, ...require("fs").constants };
