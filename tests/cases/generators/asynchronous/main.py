import asyncio


async def fetch(action):
    return action


def done():
    pass


async def rows():
    yield done


async def run():
    (await fetch(done))()
    async for row in rows():
        row()


asyncio.run(run())
