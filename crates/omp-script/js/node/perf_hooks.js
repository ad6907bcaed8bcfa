const { performance } = globalThis;
performance.timeOrigin ??= Date.now() - performance.now();
const marks = new Map();
performance.mark ??= (name) => { const mark = { name, entryType: "mark", startTime: performance.now(), duration: 0 }; marks.set(name, mark); return mark; };
performance.measure ??= (name, from, to) => {
  const start = marks.get(from)?.startTime ?? 0;
  return { name, entryType: "measure", startTime: start, duration: (marks.get(to)?.startTime ?? performance.now()) - start };
};
performance.getEntriesByName ??= (name) => (marks.has(name) ? [marks.get(name)] : []);
performance.getEntries ??= () => [...marks.values()];
performance.clearMarks ??= () => marks.clear();
performance.clearMeasures ??= () => {};
performance.eventLoopUtilization ??= () => ({ idle: 0, active: 0, utilization: 0 });
performance.toJSON ??= () => ({ timeOrigin: performance.timeOrigin });
class PerformanceObserver { observe() {} disconnect() {} takeRecords() { return []; } }
module.exports = { performance, PerformanceObserver, constants: {}, monitorEventLoopDelay: internal.missing("node:perf_hooks.monitorEventLoopDelay") };
