// The original on the cases of `run`: JSON lines in, JSON lines out, as crates/omp-tools/examples/hashline_cases.rs.
// The first argument is where `setup` installed it.
const modules = `${process.argv[2]}/node_modules/@oh-my-pi`;
const { InMemoryFilesystem, InMemorySnapshotStore, Patch, Patcher, normalizeToLF, stripBom } = await import(
  `${modules}/hashline/src/index.ts`
);
const { blockRangeAt } = await import(`${modules}/pi-natives/native/index.js`);

const blockResolver = ({ path, text, line }) => {
  const range = blockRangeAt({ code: text, path, line });
  return range ? { start: range.startLine, end: range.endLine } : null;
};

async function run({ path, shown, before, live, patch }) {
  const fs = new InMemoryFilesystem([[path, shown]]);
  const snapshots = new InMemorySnapshotStore();
  const tag = snapshots.record(path, normalizeToLF(stripBom(shown).text));
  const patcher = new Patcher({ fs, snapshots, blockResolver, enforceSeenLines: false });
  const apply = text => patcher.apply(Patch.parse(text.replaceAll("#TAG", `#${tag}`)));
  for (const earlier of before) await apply(earlier);
  if (live !== null) fs.set(path, live);
  const { sections } = await apply(patch);
  return { text: fs.get(path), warnings: sections.flatMap(section => section.warnings).join("\n") };
}

for await (const line of console) {
  if (line === "") continue;
  let answer;
  try {
    answer = await run(JSON.parse(line));
  } catch (error) {
    answer = { error: String(error?.message ?? error) };
  }
  console.log(JSON.stringify(answer));
}
