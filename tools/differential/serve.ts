// Answers cases: each line of standard input is one, as JSON, and gets a line of its own.

export async function serve(answer: (job: any) => Promise<any>): Promise<never> {
	const lines = (await Bun.stdin.text()).split("\n").filter(line => line !== "");
	for (const line of lines) {
		let said: any;
		try {
			said = await answer(JSON.parse(line));
		} catch (error) {
			said = { error: String(error) };
		}
		process.stdout.write(`${JSON.stringify(said)}\n`);
	}
	process.exit(0);
}
