// The machine.
const facts = internal.op("process.facts");
const env = () => process.env;
const load = () => internal.op("os.load");
const signals = {
  SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGBUS: 7, SIGFPE: 8, SIGKILL: 9, SIGUSR1: 10, SIGSEGV: 11, SIGUSR2: 12,
  SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGCHLD: 17, SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20, SIGTTIN: 21, SIGTTOU: 22, SIGWINCH: 28,
};
module.exports = {
  EOL: "\n", devNull: "/dev/null",
  platform: () => facts.platform, type: () => facts.type, release: () => facts.release, version: () => facts.version, arch: () => facts.arch,
  machine: () => facts.machine, hostname: () => facts.hostname, endianness: () => facts.endianness,
  homedir: () => env().HOME || facts.user?.homedir || "/",
  tmpdir: () => (env().TMPDIR || env().TMP || env().TEMP || "/tmp").replace(/(.)\/$/, "$1"),
  userInfo: () => ({ uid: facts.uid, gid: facts.gid, username: facts.user?.username ?? "", homedir: facts.user?.homedir ?? "/", shell: facts.user?.shell ?? null }),
  cpus: () => Array.from({ length: facts.cpus }, () => ({ model: "", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } })),
  availableParallelism: () => facts.cpus,
  totalmem: () => load().total, freemem: () => load().free, uptime: () => load().uptime, loadavg: () => load().loadavg,
  networkInterfaces: () => ({}), getPriority: () => 0, setPriority() {},
  constants: {
    signals, errno: { E2BIG: 7, EACCES: 13, EADDRINUSE: 98, EAGAIN: 11, EBADF: 9, ECONNREFUSED: 111, ECONNRESET: 104, EEXIST: 17, EINVAL: 22, EIO: 5, EISDIR: 21, EMFILE: 24, ENOENT: 2, ENOTDIR: 20, ENOTEMPTY: 39, EPERM: 1, EPIPE: 32, ESRCH: 3, ETIMEDOUT: 110 },
    priority: { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 }, dlopen: {}, UV_UDP_REUSEADDR: 4,
  },
};
