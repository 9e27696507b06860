-- sync: the only script. It acquires, releases, renews and repairs the subjects of one hash tag, atomically, in one round
-- trip and three Redis calls per subject (TIME, GET, SET; a refusal writes nothing). Nothing outside this file knows the
-- layout of the value.
--
-- Value, one string per subject, little endian, offsets in ms from epoch:
--   gen       f64  identity of this state, microseconds of its creation; another one means that Redis had lost it
--   epoch     f64  ms, origin of the offsets
--   restored  u32  units that gateways have brought back into this gen after a loss
--   live      u32  slots held by all registers
--   cum       u32  units ever counted, wraps
--   ngw       u16  number of registers
--   registers, ngw times, in order of renewal (expired ones are a prefix):
--     id 8 bytes | leaseEnd u32 | held u32 | seq u32 | granted u16
--   slots, to the end, in order of time (expired ones are a prefix):
--     end u32 | before u32     units cum(next.before)-before were admitted before `end` and count until end+window
--
-- KEYS  the subjects
-- ARGV  1 id of the gateway process, exactly 8 bytes
--       2 seq of this operation, u32, rising (wraps)
--       3 window ms      4 lease ms
--       5 the Redis time in ms that the gateway expects, 0 unknown
--       6 1: write even when nothing changes, so that a late packet of an older operation is told by its seq
--       7 tolerance in ms for 5
--     then for each subject:
--       held      slots that the gateway holds now, absolute
--       known     gen that the gateway has seen last, 0 none, -1 "count again what I have seen"
--       seen      units that the gateway knows to be in the window
--       debt      units admitted without Redis in the window
--       refund    units to take back      stamp   the stamp that they were granted with
--     then the number of demands, and for each demand, in order:
--       units     so many equal calls, granted one by one
--       nk        subjects that each call needs, and for each of them:
--         index of KEYS, cost, slots, maxRpm, maxConcurrency      (limits: 0 counts only)
--
-- Reply, flat list of integers:
--   status (0 done, 1 replay of the last operation, 2 stale), now ms, stepped ms (clock moved, 0 no)
--   for each subject: n in the window, live, gen, cum, stamp of units granted now (ms), ms left of the gateway's lease,
--                     1 if state was lost and brought back, ms since the newest units were counted
--   for each demand: units granted, bound of the rest (0 none, 1 rpm, 2 concurrency, 3 unknown), index of KEYS that
--                    bound, ms until the next unit fits (rpm; 0 otherwise)

local HEADF, HEAD = '<ddI4I4I4I2', 30
local REGF, REG = '<I4I4I4I2', 22
local SLOT = 8
local M32 = 4294967296
local M31 = 2147483648
local REBASE = 2147483648  -- ms; 24 days without a pause
local SMALL_STEP = 5000   -- ms; a clock that goes back less than this is waited for
local DENSE = 192         -- slots; above it only coarse ones are made
local UNKNOWN = 65535

local unpack, pack, floor, max, min = struct.unpack, struct.pack, math.floor, math.max, math.min

local gw, seq = ARGV[1], tonumber(ARGV[2])
local window, ttl = tonumber(ARGV[3]), tonumber(ARGV[4])
local expected, assert_, tolerance = tonumber(ARGV[5]), ARGV[6] == '1', tonumber(ARGV[7])
if #gw ~= 8 then return redis.error_reply('ERR limits: the gateway id must have 8 bytes') end
local coarse = math.ceil(window / 128)
-- longer than any gateway remembers units (13 buckets of window/12), so that a value which has expired was not lost
local KEEP = window + 2 * math.ceil(window / 12) + coarse + 1000

local t = redis.call('TIME')
local us = t[1] * 1000000 + t[2]
local now = floor(us / 1000)
local stepped = 0
if expected > 0 and math.abs(now - expected) > tolerance then stepped = now - expected end

-- restamp gives a state from a clock that went far back a new origin: everything counts from now on.
local function restamp(s, lastEnd)
  local n = 0
  for p = s.sp, s.se, SLOT do
    local e, before = unpack('<I4I4', s.v, p)
    if e + window > lastEnd then n = (s.cum - before) % M32 break end
  end
  local regs = {}
  for p = s.rp, s.re, REG do
    regs[#regs + 1] = s.v:sub(p, p + 7) .. pack('<I4', ttl) .. s.v:sub(p + 12, p + REG - 1)
  end
  local r = table.concat(regs)
  local slots = n > 0 and pack('<I4I4', 1, (s.cum - n) % M32) or ''
  s.v, s.rp, s.re = r .. slots, 1, #r
  s.sp, s.se = #r + 1, #r + #slots
  s.epoch, s.changed = now, true
end

-- rebase moves the origin forward before the 32-bit offsets run out.
local function rebase(s, d)
  local shift = d - 2 * (window + ttl)
  local out = {}
  for p = s.rp, s.re, REG do
    local e = unpack('<I4', s.v, p + 8)
    out[#out + 1] = s.v:sub(p, p + 7) .. pack('<I4', max(e - shift, 0)) .. s.v:sub(p + 12, p + REG - 1)
  end
  local r = table.concat(out)
  out = {r}
  for p = s.sp, s.se, SLOT do
    local e = unpack('<I4', s.v, p)
    out[#out + 1] = pack('<I4', max(e - shift, 0)) .. s.v:sub(p + 4, p + 7)
  end
  s.v = table.concat(out)
  s.rp, s.re, s.sp, s.se = 1, #r, #r + 1, #s.v
  s.epoch = s.epoch + shift
  return d - shift
end

local function load(key)
  local s = {gen = us, epoch = now, restored = 0, live = 0, cum = 0, v = '', rp = 1, re = 0, sp = 1, se = 0}
  local v = redis.call('GET', key)
  if v and #v >= HEAD then
    local gen, epoch, restored, live, cum, ngw = unpack(HEADF, v)
    local sp = HEAD + ngw * REG + 1
    if #v - sp + 1 >= 0 and (#v - sp + 1) % SLOT == 0 then
      s.gen, s.epoch, s.restored, s.live, s.cum = gen, epoch, restored, live, cum
      s.v, s.rp, s.re, s.sp, s.se = v, HEAD + 1, sp - 1, sp, #v
    end
  end
  local d = now - s.epoch
  local lastEnd, lastLease = -1, 0
  if s.se >= s.sp then lastEnd = unpack('<I4', s.v, s.se - SLOT + 1) end
  if s.re >= s.rp then lastLease = unpack('<I4', s.v, s.re - REG + 9) end
  if d < -SMALL_STEP or d < lastEnd - coarse - SMALL_STEP or d < lastLease - 10 * ttl - SMALL_STEP then
    restamp(s, lastEnd)
    d, lastEnd = 0, 1
  elseif d < 0 then
    d = 0
  end
  -- drop what has expired
  while s.rp <= s.re do
    local e, h = unpack('<I4I4', s.v, s.rp + 8)
    if e > d then break end
    s.live = s.live - h
    s.rp = s.rp + REG
  end
  s.n = 0
  while s.sp <= s.se do
    local e, before = unpack('<I4I4', s.v, s.sp)
    if e + window > d then s.n = (s.cum - before) % M32 break end
    s.sp = s.sp + SLOT
  end
  if d > REBASE then
    d = rebase(s, d)
    if s.se >= s.sp then lastEnd = unpack('<I4', s.v, s.se - SLOT + 1) end
  end
  s.d, s.lastEnd = d, lastEnd
  -- my register
  local p = s.rp
  while true do
    p = s.v:find(gw, p, true)
    if not p or p > s.re then break end
    if (p - s.rp) % REG == 0 then
      s.mine = p
      s.leaseEnd, s.held, s.seq, s.granted = unpack(REGF, s.v, p + 8)
      break
    end
    p = p + 1
  end
  return s
end

local nk = #KEYS
local subjects, status, granted = {}, 0, 0
for i = 1, nk do
  local s = load(KEYS[i])
  subjects[i] = s
  if s.mine then
    local ahead = (seq - s.seq) % M32
    if ahead >= M31 then status = 2
    elseif ahead == 0 and status == 0 then status, granted = 1, s.granted end
  end
end

local a = 8 + 6 * nk
local nd = tonumber(ARGV[a])
local reply = {status, now, stepped}
local function answer(s, lost)
  local left = 0
  if s.mine then left = max(s.leaseEnd - s.d, 0) end
  local r = #reply
  reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4] = s.n, s.live, s.gen, s.cum
  reply[r + 5], reply[r + 6], reply[r + 7] = s.stamp or 0, left, lost or 0
  reply[r + 8] = s.se >= s.sp and max(s.d - s.lastEnd, 0) or 0
end

if status ~= 0 then
  for i = 1, nk do answer(subjects[i]) end
  for i = 1, nd do
    local r = #reply
    local known = status == 1 and nd == 1 and granted ~= UNKNOWN
    reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4] = known and granted or 0, 3, 1, 0
  end
  return reply
end

-- what each gateway says of itself: absolute slots, lost state, debt, refund
for i = 1, nk do
  local s, b = subjects[i], 8 + 6 * (i - 1)
  local held, known, seen = tonumber(ARGV[b]), tonumber(ARGV[b + 1]), tonumber(ARGV[b + 2])
  local debt, refund = tonumber(ARGV[b + 3]), tonumber(ARGV[b + 4])
  s.was, s.now, s.add, s.fine = s.held or 0, held, debt, false
  s.live = max(s.live - s.was + held, 0)
  if known ~= s.gen and known > 0 then
    if seen > s.restored then
      s.add, s.lost = s.add + seen - s.restored, 1
      s.restored = seen
    end
  elseif known == -1 or stepped ~= 0 then
    s.add = s.add + max(seen - s.n, 0)
  end
  if refund > 0 then
    local off = tonumber(ARGV[b + 5]) - s.epoch
    for p = s.se - SLOT + 1, s.sp, -SLOT do
      local e, before = unpack('<I4I4', s.v, p)
      if e <= off then
        local after = p + SLOT <= s.se and unpack('<I4', s.v, p + SLOT + 4) or s.cum
        if e == off and (after - before) % M32 >= refund then
          local out = {s.v:sub(1, p + SLOT - 1)}
          for q = p + SLOT, s.se, SLOT do
            local e2, b2 = unpack('<I4I4', s.v, q)
            out[#out + 1] = pack('<I4I4', e2, (b2 - refund) % M32)
          end
          s.v, s.cum, s.n, s.changed = table.concat(out), (s.cum - refund) % M32, s.n - refund, true
        end
        break
      end
    end
  end
  s.n = s.n + s.add
end

-- the demands, in order
a = a + 1
local demands, first = {}, 0
for j = 1, nd do
  local units, n = tonumber(ARGV[a]), tonumber(ARGV[a + 1])
  local dm = {at = a + 2, n = n}
  local m, code, key = units, 0, 1
  for pass = 1, 2 do
    for e = 0, n - 1 do
      local b = a + 2 + 5 * e
      local s = subjects[tonumber(ARGV[b])]
      local need = tonumber(ARGV[b + pass])
      local limit = tonumber(ARGV[b + 2 + pass])
      if need > 0 and limit > 0 then
        local fit = max(floor((limit - (pass == 1 and s.n or s.live)) / need), 0)
        if fit < m then m, code, key = fit, pass, tonumber(ARGV[b]) end
      end
    end
  end
  if m > 0 then
    for e = 0, n - 1 do
      local b = a + 2 + 5 * e
      local s = subjects[tonumber(ARGV[b])]
      local cost, slots, rpm = tonumber(ARGV[b + 1]), tonumber(ARGV[b + 2]), tonumber(ARGV[b + 3])
      s.n, s.add = s.n + m * cost, s.add + m * cost
      s.live, s.now = s.live + m * slots, s.now + m * slots
      if rpm > 0 and rpm <= 128 then s.fine = true end
    end
  end
  if j == 1 then first = m end
  dm.m, dm.code, dm.key = m, code, key
  demands[j] = dm
  a = a + 2 + 5 * n
end
if nd > 1 or first > UNKNOWN - 1 then first = UNKNOWN end

-- count, and write what has changed
for i = 1, nk do
  local s = subjects[i]
  local d = s.d
  if s.add > 0 then
    local g = coarse
    if s.fine and s.se - s.sp + 1 < DENSE * SLOT then g = 1 end
    local stamp = (floor(d / g) + 1) * g
    if s.se < s.sp or stamp > s.lastEnd then
      s.v = s.v .. pack('<I4I4', stamp, s.cum)
      s.se = #s.v
      s.lastEnd = stamp
    end
    s.cum = (s.cum + s.add) % M32
    s.stamp = s.epoch + s.lastEnd
  end
  local renew = s.mine and s.now > 0 and 3 * (s.leaseEnd - d) < 2 * ttl
  if s.add > 0 or s.changed or assert_ or renew or s.now ~= s.was then
    local regs
    if s.mine then
      regs = s.v:sub(s.rp, s.mine - 1) .. s.v:sub(s.mine + REG, s.re)
    else
      regs = s.v:sub(s.rp, s.re)
    end
    regs = regs .. gw .. pack(REGF, d + ttl, s.now, seq, first)
    redis.call('SET', KEYS[i],
      pack(HEADF, s.gen, s.epoch, s.restored, s.live, s.cum, #regs / REG) .. regs .. s.v:sub(s.sp, s.se),
      'PX', max(ttl, KEEP))
    s.mine, s.leaseEnd = 1, d + ttl
  end
  answer(s, s.lost)
end

-- when does the next unit of a demand that was cut by rpm fit
for j = 1, nd do
  local dm = demands[j]
  local wait, key = 0, dm.key
  if dm.code == 1 then
    for e = 0, dm.n - 1 do
      local b = dm.at + 5 * e
      local i, cost, rpm = tonumber(ARGV[b]), tonumber(ARGV[b + 1]), tonumber(ARGV[b + 3])
      local s = subjects[i]
      local need = s.n + cost - rpm
      if rpm > 0 and cost > 0 and need > 0 then
        local w, from = window, nil
        for p = s.sp, s.se, SLOT do
          local end_, before = unpack('<I4I4', s.v, p)
          from = from or before
          local after = s.cum
          if p + SLOT <= s.se then after = unpack('<I4', s.v, p + SLOT + 4) end
          if (after - from) % M32 >= need then w = end_ + window - s.d break end
        end
        if w > wait then wait, key = w, i end
      end
    end
  end
  local r = #reply
  reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4] = dm.m, dm.code, key, wait
end
return reply
