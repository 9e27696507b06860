-- Shared state of the breakers. The only writer of the three keys, all under
-- one hash tag. It runs on a failure, on a success after failures, on a probe
-- and on a reset; never for a healthy call.
--
-- KEYS[1] hash   id -> JSON of one failing or open key, absent when healthy:
--                s service, t tool, k scope id, n failures in a row,
--                o open (0/1), m manual (0/1), u end of the cool-down (ms),
--                p ticket of the probe (0: none), l end of its lease (ms),
--                f last failure (ms). Times are Redis time.
-- KEYS[2] zset   id scored by the version of its last change; an id without a
--                field in KEYS[1] is a tombstone: it became healthy.
-- KEYS[3] string "<epoch> <version> <low> <keep>": epoch is made when the state
--                begins (another epoch: Redis lost it), version grows with
--                every change, low is the highest version that was trimmed,
--                keep is 1 once a manual breaker opened (then no expiry).
-- ARGV[1] operation, ARGV[2] bound of entries, ARGV[3] expiry (ms),
-- then by operation:
--   fail  id ticket weight failures cooldown forget service tool scope
--   ok    id
--   probe id lease
--   free  id ticket
--   put   id failures manual rest service tool scope   (only when absent)
--   reset service tool scope                           ('' matches all)
--   poll  since limit
-- Returns for one id {n, open, manual, rest, ticket, lease rest, probe granted,
-- version}, for reset the number of keys that were failing, for poll
-- {meta, now, version, last score, {id, value or false, ...}}.

local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local epoch, ver, low, keep
local meta = redis.call('GET', KEYS[3])
if meta then
  epoch, ver, low, keep = string.match(meta, '^(%d+) (%d+) (%d+) (%d)$')
end
if not epoch then
  epoch, ver, low, keep = t[1] .. string.format('%06d', t[2]), 0, 0, 0
else
  ver, low, keep = tonumber(ver), tonumber(low), tonumber(keep)
end
local changed = not meta

local function load(id)
  local v = redis.call('HGET', KEYS[1], id)
  return v and cjson.decode(v) or nil
end

local function store(id, e)
  ver = ver + 1
  changed = true
  if e then
    redis.call('HSET', KEYS[1], id, cjson.encode(e))
    if e.m == 1 and e.o == 1 then keep = 1 end
  else
    redis.call('HDEL', KEYS[1], id)
  end
  redis.call('ZADD', KEYS[2], ver, id)
end

local function trim(bound)
  local over = redis.call('ZCARD', KEYS[2]) - bound
  if over > 0 then
    local old = redis.call('ZRANGE', KEYS[2], 0, over - 1, 'WITHSCORES')
    for i = 1, #old, 2 do
      redis.call('HDEL', KEYS[1], old[i])
      redis.call('ZREM', KEYS[2], old[i])
      low = math.max(low, tonumber(old[i + 1]))
    end
  end
end

local function save()
  if not changed then return end
  trim(tonumber(ARGV[2]))
  if keep == 1 and redis.call('HLEN', KEYS[1]) == 0 then keep = 0 end
  redis.call('SET', KEYS[3], string.format('%s %.0f %.0f %d', epoch, ver, low, keep))
  for i = 1, 3 do
    if keep == 1 then
      redis.call('PERSIST', KEYS[i])
    else
      redis.call('PEXPIRE', KEYS[i], ARGV[3])
    end
  end
end

local function answer(e, granted)
  save()
  if not e then return {0, 0, 0, 0, 0, 0, 0, ver} end
  return {e.n, e.o, e.m, math.max(0, e.u - now), e.p, math.max(0, e.l - now), granted and 1 or 0, ver}
end

local op = ARGV[1]

if op == 'fail' then
  local id, ticket, weight = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
  local failures, cooldown, forget = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
  local e = load(id)
  local shut = false
  if not e then
    e = {s = ARGV[10], t = ARGV[11], k = ARGV[12], n = 0, o = 0, m = 0, u = 0, p = 0, l = 0, f = now}
  end
  if e.o == 1 then
    -- Only the probe starts the cool-down again, not a call from before.
    shut = ticket ~= 0 and ticket == e.p
  else
    if now - e.f > forget then e.n = 0 end
    shut = e.n + weight >= failures
  end
  e.n = e.n + weight
  e.f = now
  if shut then
    e.o, e.p, e.l, e.u = 1, 0, 0, now + cooldown
    e.m = cooldown == 0 and 1 or 0
  end
  store(id, e)
  return answer(e)
end

if op == 'ok' then
  if load(ARGV[4]) then store(ARGV[4], nil) end
  return answer(nil)
end

if op == 'probe' then
  local e = load(ARGV[4])
  if e and e.o == 1 and e.m == 0 and e.u <= now and (e.p == 0 or e.l <= now) then
    e.p, e.l = ver + 1, now + tonumber(ARGV[5])
    store(ARGV[4], e)
    return answer(e, true)
  end
  return answer(e)
end

if op == 'free' then
  local e = load(ARGV[4])
  if e and e.p ~= 0 and e.p == tonumber(ARGV[5]) then
    e.p, e.l = 0, 0
    store(ARGV[4], e)
  end
  return answer(e)
end

if op == 'put' then
  local e = load(ARGV[4])
  if not e then
    e = {s = ARGV[8], t = ARGV[9], k = ARGV[10], n = tonumber(ARGV[5]), o = 1, m = tonumber(ARGV[6]),
         u = now + tonumber(ARGV[7]), p = 0, l = 0, f = now}
    store(ARGV[4], e)
  end
  return answer(e)
end

if op == 'reset' then
  local all = redis.call('HGETALL', KEYS[1])
  local count = 0
  for i = 1, #all, 2 do
    local e = cjson.decode(all[i + 1])
    if (ARGV[4] == '' or ARGV[4] == e.s) and (ARGV[5] == '' or ARGV[5] == e.t) and (ARGV[6] == '' or ARGV[6] == e.k) then
      store(all[i], nil)
      count = count + 1
    end
  end
  save()
  return count
end

if op == 'poll' then
  save()
  local rows = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[4], '+inf', 'WITHSCORES', 'LIMIT', 0, tonumber(ARGV[5]))
  local out, last = {}, tonumber(ARGV[4])
  for i = 1, #rows, 2 do
    out[#out + 1] = rows[i]
    out[#out + 1] = redis.call('HGET', KEYS[1], rows[i])
    last = tonumber(rows[i + 1])
  end
  return {string.format('%s %.0f %.0f %d', epoch, ver, low, keep), now, ver, last, out}
end

return redis.error_reply('unknown operation')
