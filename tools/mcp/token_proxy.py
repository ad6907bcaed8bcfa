"""A proxy that adds a bearer token: the conformance suite has no option for one."""
import asyncio, threading


class TokenProxy:
    """Listens on a port of its own and forwards to `port` with the token. Use it as a context."""

    def __init__(self, port, token):
        self.target, self.token, self.loop = port, token, asyncio.new_event_loop()

    def __enter__(self):
        ready = threading.Event()

        def run():
            asyncio.set_event_loop(self.loop)
            server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
            self.port = server.sockets[0].getsockname()[1]
            ready.set()
            self.loop.run_forever()

        threading.Thread(target=run, daemon=True).start()
        ready.wait()
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def end(self):
        open_ones = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in open_ones:
            task.cancel()
        await asyncio.gather(*open_ones, return_exceptions=True)

    async def serve(self, reader, writer):
        out = None
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
            # One request per connection: nothing behind its head has to be understood.
            kept = [line for line in head[:-2] if not line.lower().startswith((b"connection:", b"authorization:"))]
            kept += [b"connection: close", b"authorization: Bearer " + self.token.encode(), b"", b""]
            answers, out = await asyncio.open_connection("127.0.0.1", self.target)
            out.write(b"\r\n".join(kept))
            sending = asyncio.create_task(pump(reader, out))
            await pump(answers, writer)
            sending.cancel()
        # Also when the proxy ends: nobody waits for what was open.
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            for end in filter(None, (writer, out)):
                end.close()


async def pump(reader, writer):
    while chunk := await reader.read(65536):
        writer.write(chunk)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
