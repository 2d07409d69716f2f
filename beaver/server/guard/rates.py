"""How often one asker may start a run: counted in Redis over all servers, in a window that slides by Redis's own clock."""

from __future__ import annotations

import math
import time
from typing import Any

from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from beaver.server.guard.limit_redis import KEY_PREFIX, LimitRedis
from beaver.server.guard.rate_check import WINDOW_S, Standing


class RateLimit:
    """So many requests a minute for each asker. What is refused is not counted."""

    def __init__(self, redis: LimitRedis, per_minute: int) -> None:
        # The URL only chooses the library's kind of client; where Redis lies is the pool's to know.
        pool: Any = redis.pool
        storage = RedisStorage("async+redis://", implementation="redispy", key_prefix=KEY_PREFIX, connection_pool=pool)
        self._redis = redis
        self._item = RateLimitItemPerMinute(per_minute)
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    async def count(self, asker: str) -> Standing | None:
        """As `rate_check.Count` says."""
        return await self._redis.ask(lambda: self._counted(asker))

    async def _counted(self, asker: str) -> Standing:
        allowed = await self._limiter.hit(self._item, asker)
        more_at_s, left = await self._limiter.get_window_stats(self._item, asker)
        # Redis said how long it takes; the library has added this machine's time to it.
        more_in_s = math.ceil(more_at_s - time.time())
        # Within the millisecond in which a window begins the library takes its end for now.
        more_in_s = more_in_s if 0 < more_in_s <= WINDOW_S else WINDOW_S
        return Standing(allowed, self._item.amount, left if allowed else 0, more_in_s)
