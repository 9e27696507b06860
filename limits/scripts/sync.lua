-- sync: the only script. It acquires, releases, renews and repairs the subjects of one hash tag, atomically, in one round
-- trip and three Redis calls per subject (TIME, GET, SET; a refusal writes nothing). Nothing outside this file knows the
-- layout of the value.
--
-- Value, one string per subject, little endian, offsets in ms from epoch:
--   gen       f64  identity of this state, microseconds of its creation; another one means that Redis had lost it. Odd: the
--                  state was made in place of one that was lost, or may have been
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
-- ARGV  1 one packed string, little endian, no padding:
--       form      u8   0: one operation on all subjects; 1: each subject is an operation of its own
--       id        8 bytes  of the gateway process
--       window    u32  ms
--       lease     u32  ms
--       expected  f64  the Redis time in ms that the gateway expects, 0 unknown
--       tolerance u32  ms by which it may be wrong
--       strict    u8   1: a state that was made in place of a lost one admits nothing limited for its first 2 s, in which
--                      the other gateways say what they know
--       doubt     u8   1: Redis was away a moment ago, so that what is not there may have been lost
--
--     form 0:
--       seq       u32  of this operation, rising (wraps)
--       assert    u8   1: write even when nothing changes, so that a late packet of an older operation is told by its seq
--     then for each subject:
--       held      u32  slots that the gateway holds now, absolute
--       known     f64  gen that the gateway has seen last, 0 none, -1 "count again what I have seen"
--       seen      u32  units that the gateway knows to be in the window
--       debt      u32  units admitted without Redis in the window
--       refund    u32  units to take back
--       stamp     f64  the stamp that they were granted with
--     then the number of demands, u16, and for each of them, in order:
--       units     u32  so many equal calls, granted one by one
--       parts     u16  subjects that each call needs, and for each of them:
--         index of KEYS u16, cost u32, slots u32, maxRpm u32, maxConcurrency u32      (limits: 0 counts only)
--
--     form 1, for each subject, fields as above:
--       seq u32, assert u8, held u32, known f64, seen u32, debt u32,
--       units u32 (0: no demand), cost u32, slots u32, maxRpm u32, maxConcurrency u32
--
--       2 ms that a value is kept after it was written, as text (a number would be formatted anew in every run). Longer
--         than any gateway remembers units, so that a value which has expired was not lost.
--
-- Reply, one packed string. Form 0:
--   status u8 (0 done, 1 replay of the last operation, 2 stale), now f64 ms, stepped f64 ms (the clock moved; 0 no)
--   for each subject: n u32 in the window, live u32, gen f64, cum u32, stamp f64 of units counted now (ms, 0 none),
--                     left u32 ms of the gateway's lease, lost u8 (1: state was lost and brought back),
--                     idle u32 ms since the newest units were counted
--   for each demand: granted u32, bound of the rest u8 (0 none, 1 rpm, 2 concurrency, 3 unknown, also
--                    of a strict gateway whose state is too young),
--                    index of KEYS that bound u16, wait u32 ms until the next unit fits (rpm; 0 otherwise)
-- Form 1: now f64, stepped f64, then for each subject:
--   done u8 (0 done; 1 nothing was done: the operation needs form 0), the fields of a subject, granted u32, bound u8, wait u32

local HEADF, HEAD = '<ddI4I4I4I2', 30
local REGF, REG = '<I4I4I4I2', 22
local REGISTER, ALONE = '<c8I4I4I4I2', '<ddI4I4I4I2c8I4I4I4I2'  -- a register; a head and its only register
local SLOT = 8
local M32 = 4294967296
local M31 = 2147483648
local REBASE = 2147483648  -- ms; 24 days without a pause
local SMALL_STEP = 5000   -- ms; a clock that goes back less than this is waited for
local YOUNG = 2000000     -- us; how long a strict gateway waits for the others after a loss
local DENSE = 192         -- slots; above it only coarse ones are made
local UNKNOWN = 65535

local HEADER, OPERATION = '<Bc8I4I4dI4BB', '<I4B'
local SUBJECT, PART = '<I4dI4I4I4d', '<I2I4I4I4I4'
local STRAIGHT, STRAIGHT_REPLY = '<I4BI4dI4I4I4I4I4I4I4', '<BI4I4dI4dI4BI4I4BI4'
local REPLY_HEAD, REPLY_ONE = '<dd', '<ddBI4I4dI4dI4BI4I4BI4'
local SUBJECT_SIZE, PART_SIZE = 32, 18
local SUBJECT_REPLY, DEMAND_REPLY = '<I4I4dI4dI4BI4', '<I4BI2I4'

local unpack, pack, floor, sub, find = struct.unpack, struct.pack, math.floor, string.sub, string.find

local nk, arg = #KEYS, ARGV[1]
local form, gw, window, ttl, expected, tolerance, strict, doubt, at = unpack(HEADER, arg)
local coarse = floor((window + 127) / 128)
local KEEP = ARGV[2]

local t = redis.call('TIME')
local us = t[1] * 1000000 + t[2]
local now = floor(us / 1000)
local born = us - us % 2
local stepped = 0
if expected > 0 then
  stepped = now - expected
  if stepped <= tolerance and stepped >= -tolerance then stepped = 0 end
end

-- The way of nearly every operation: one subject, at most one demand, nothing to refund, a clock that goes forward. It
-- does what the general way below does, without tables and functions, which cost as much as all the rest. It leaves by
-- break, before it has written anything, when the operation turns out to need the general way; nor does an error of
-- Redis on one subject touch the others: the general way will meet it again, and tell.
if form == 1 then
  local out = nk > 1 and {pack(REPLY_HEAD, now, stepped)}
  for i = 1, nk do
    local key, done = KEYS[i], false
    repeat
      local seq, assert_, held, known, seen, debt, m, cost, slots, rpm, conc
      seq, assert_, held, known, seen, debt, m, cost, slots, rpm, conc, at = unpack(STRAIGHT, arg, at)
      local v, gen, epoch, restored, live, cum, ngw = redis.pcall('GET', key), born, now, 0, 0, 0, 0
      local rp, re, sp, se, d, lastEnd = 1, 0, 1, 0, 0, -1
      local others = true  -- registers of other gateways
      local mine, leaseEnd, was, lastSeq = false, 0, 0, 0
      local n = 0
      if v then
        se = #v
        if se < HEAD then break end
        gen, epoch, restored, live, cum, ngw = unpack(HEADF, v)
        rp, sp = HEAD + 1, HEAD + ngw * REG + 1
        re = sp - 1
        if re > se or (se - re) % SLOT ~= 0 then break end
        d = now - epoch
        if d < 0 or d > REBASE then break end
        if se >= sp then
          lastEnd = unpack('<I4', v, se - SLOT + 1)
          if d < lastEnd - coarse - SMALL_STEP then break end
        end
        if re >= rp then
          local e = unpack('<I4', v, re - REG + 9)
          if d < e - 10 * ttl - SMALL_STEP then break end
          while rp <= re do
            local e, h = unpack('<I4I4', v, rp + 8)
            if e > d then break end
            live = live - h
            rp = rp + REG
          end
          if re - rp + 1 == REG then
            if sub(v, rp, rp + 7) == gw then mine, others = rp, false end
          elseif rp > re then
            others = false
          else
            local p = rp
            while true do
              p = find(v, gw, p, true)
              if not p or p > re then break end
              if (p - rp) % REG == 0 then mine = p break end
              p = p + 1
            end
          end
        else
          others = false
        end
        while sp <= se do
          local e, before = unpack('<I4I4', v, sp)
          if e + window > d then n = (cum - before) % M32 break end
          sp = sp + SLOT
        end
        if mine then
          leaseEnd, was, lastSeq = unpack('<I4I4I4', v, mine + 8)
          local ahead = (seq - lastSeq) % M32
          if ahead == 0 or ahead >= M31 then break end
        end
      else
        v, others = '', false
        if doubt == 1 or known ~= 0 and (seen > 0 or held > 0) then gen = born + 1 end
      end
      live = live - was + held
      if live < 0 then live = 0 end
      local add, lost = debt, 0
      if known ~= gen and known > 0 then
        if seen > restored then add, lost, restored = add + seen - restored, 1, seen end
      elseif (known == -1 or stepped ~= 0) and seen > n then
        add = add + seen - n
      end
      n = n + add
      local code, need, fine = 0, 0, false
      if m > 0 then
        if cost > 0 and rpm > 0 then
          local fit = floor((rpm - n) / cost)
          if fit < 0 then fit = 0 end
          if fit < m then m, code = fit, 1 end
        end
        if slots > 0 and conc > 0 then
          local fit = floor((conc - live) / slots)
          if fit < 0 then fit = 0 end
          if fit < m then m, code = fit, 2 end
        end
        if strict == 1 and gen % 2 == 1 and m > 0 and us - gen < YOUNG - 1 and us >= gen - 1 and
            (cost > 0 and rpm > 0 or slots > 0 and conc > 0) then
          m, code = 0, 3
        end
        if m > 0 then
          add, n = add + m * cost, n + m * cost
          live, held = live + m * slots, held + m * slots
          fine = rpm > 0 and rpm <= 128
        end
        if code == 1 then need = n + cost - rpm end
      end
      local stamp = 0
      if add > 0 then
        local g = coarse
        if fine and se - sp + 1 < DENSE * SLOT then g = 1 end
        local e = (floor(d / g) + 1) * g
        if se < sp or e > lastEnd then
          v = v .. pack('<I4I4', e, cum)
          se, lastEnd = #v, e
        end
        cum = (cum + add) % M32
        stamp = epoch + lastEnd
      end
      local left = mine and leaseEnd - d or 0
      if left < 0 then left = 0 end
      if add > 0 or assert_ == 1 or held ~= was or (mine and held > 0 and 3 * left < 2 * ttl) then
        local one = m < UNKNOWN and m or UNKNOWN
        local new
        if not others then
          new = pack(ALONE, gen, epoch, restored, live, cum, 1, gw, d + ttl, held, seq, one)
        elseif mine then
          new = pack(HEADF, gen, epoch, restored, live, cum, (re - rp + 1) / REG) .. sub(v, rp, mine - 1) ..
            sub(v, mine + REG, re) .. pack(REGISTER, gw, d + ttl, held, seq, one)
        else
          new = pack(HEADF, gen, epoch, restored, live, cum, (re - rp + 1) / REG + 1) .. sub(v, rp, re) ..
            pack(REGISTER, gw, d + ttl, held, seq, one)
        end
        if redis.pcall('SET', key, new .. sub(v, sp, se), 'PX', KEEP).err then break end
        left = ttl
      end
      local idle = 0
      if se >= sp and d > lastEnd then idle = d - lastEnd end
      local wait = 0
      if need > 0 then
        wait = window
        local p, from = sp, nil
        while p <= se do
          local e, before = unpack('<I4I4', v, p)
          from = from or before
          p = p + SLOT
          local after = cum
          if p <= se then after = unpack('<I4', v, p + 4) end
          if (after - from) % M32 >= need then wait = e + window - d break end
        end
      end
      if not out then
        return pack(REPLY_ONE, now, stepped, 0, n, live, gen, cum, stamp, left, lost, idle, m, code, wait)
      end
      out[i + 1] = pack(STRAIGHT_REPLY, 0, n, live, gen, cum, stamp, left, lost, idle, m, code, wait)
      done = true
    until true
    if not done then
      out = out or {pack(REPLY_HEAD, now, stepped)}
      out[i + 1] = pack(STRAIGHT_REPLY, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    end
  end
  return table.concat(out)
end

local seq, assert_
seq, assert_, at = unpack(OPERATION, arg, at)
local body = at + SUBJECT_SIZE * nk
local nd = unpack('<I2', arg, body)
body = body + 2

local max = math.max

-- restamp gives a state from a clock that went far back a new origin: everything counts from now on.
local function restamp(v, rp, re, sp, se, cum, lastEnd)
  local n = 0
  for p = sp, se, SLOT do
    local e, before = unpack('<I4I4', v, p)
    if e + window > lastEnd then n = (cum - before) % M32 break end
  end
  local regs = {}
  for p = rp, re, REG do
    regs[#regs + 1] = sub(v, p, p + 7) .. pack('<I4', ttl) .. sub(v, p + 12, p + REG - 1)
  end
  local r = table.concat(regs)
  local slots = n > 0 and pack('<I4I4', 1, (cum - n) % M32) or ''
  return r .. slots, 1, #r, #r + 1, #r + #slots
end

-- rebase moves the origin forward before the 32-bit offsets run out.
local function rebase(v, rp, re, sp, se, shift)
  local out = {}
  for p = rp, re, REG do
    local e = unpack('<I4', v, p + 8)
    out[#out + 1] = sub(v, p, p + 7) .. pack('<I4', max(e - shift, 0)) .. sub(v, p + 12, p + REG - 1)
  end
  local r = table.concat(out)
  out = {r}
  for p = sp, se, SLOT do
    local e = unpack('<I4', v, p)
    out[#out + 1] = pack('<I4', max(e - shift, 0)) .. sub(v, p + 4, p + 7)
  end
  v = table.concat(out)
  return v, 1, #r, #r + 1, #v
end

-- load reads a subject and drops what has expired. Registers are v[rp..re], slots v[sp..se], d is now from epoch; mine is
-- where the gateway's register begins, nil without one.
local function load(key)
  local gen, epoch, restored, live, cum = born, now, 0, 0, 0
  local rp, re, sp, se, changed, fresh = 1, 0, 1, 0, false, true
  local stored, v = redis.call('GET', key), ''
  if stored and #stored >= HEAD then
    local g, e, r, l, c, ngw = unpack(HEADF, stored)
    local from = HEAD + ngw * REG + 1
    if #stored - from + 1 >= 0 and (#stored - from + 1) % SLOT == 0 then
      v, gen, epoch, restored, live, cum, fresh = stored, g, e, r, l, c, false
      rp, re, sp, se = HEAD + 1, from - 1, from, #v
    end
  end
  local d = now - epoch
  local lastEnd, lastLease = -1, 0
  if se >= sp then lastEnd = unpack('<I4', v, se - SLOT + 1) end
  if re >= rp then lastLease = unpack('<I4', v, re - REG + 9) end
  if d < -SMALL_STEP or d < lastEnd - coarse - SMALL_STEP or d < lastLease - 10 * ttl - SMALL_STEP then
    v, rp, re, sp, se = restamp(v, rp, re, sp, se, cum, lastEnd)
    epoch, d, lastEnd, changed = now, 0, 1, true
  elseif d < 0 then
    d = 0
  end
  while rp <= re do
    local e, h = unpack('<I4I4', v, rp + 8)
    if e > d then break end
    live = live - h
    rp = rp + REG
  end
  local n = 0
  while sp <= se do
    local e, before = unpack('<I4I4', v, sp)
    if e + window > d then n = (cum - before) % M32 break end
    sp = sp + SLOT
  end
  if d > REBASE then
    local shift = d - 2 * (window + ttl)
    v, rp, re, sp, se = rebase(v, rp, re, sp, se, shift)
    epoch, d, lastEnd = epoch + shift, d - shift, lastEnd - shift
  end
  local mine, leaseEnd, held, was, granted
  local p = rp
  if re - rp + 1 == REG then -- the usual case, without a search
    if sub(v, rp, rp + 7) == gw then
      mine = rp
      leaseEnd, held, was, granted = unpack(REGF, v, rp + 8)
    end
    p = re
  end
  while p < re do
    p = find(v, gw, p, true)
    if not p or p > re then break end
    if (p - rp) % REG == 0 then
      mine = p
      leaseEnd, held, was, granted = unpack(REGF, v, p + 8)
      break
    end
    p = p + 1
  end
  return v, gen, epoch, restored, live, cum, n, d, lastEnd, rp, re, sp, se, changed, mine, leaseEnd, held, was, granted, fresh
end

-- wait is the ms until need units have left the window.
local function wait(v, sp, se, cum, d, need)
  local from
  for p = sp, se, SLOT do
    local e, before = unpack('<I4I4', v, p)
    from = from or before
    local after = cum
    if p + SLOT <= se then after = unpack('<I4', v, p + SLOT + 4) end
    if (after - from) % M32 >= need then return e + window - d end
  end
  return window
end

local subjects, status, granted = {}, 0, 0
for i = 1, nk do
  local s = {}
  s.v, s.gen, s.epoch, s.restored, s.live, s.cum, s.n, s.d, s.lastEnd, s.rp, s.re, s.sp, s.se, s.changed, s.mine,
    s.leaseEnd, s.held, s.seq, s.granted, s.fresh = load(KEYS[i])
  subjects[i] = s
  if s.mine then
    local ahead = (seq - s.seq) % M32
    if ahead >= M31 then status = 2
    elseif ahead == 0 and status == 0 then status, granted = 1, s.granted end
  end
end

local reply = {pack('<Bdd', status, now, stepped)}
local function answer(s)
  reply[#reply + 1] = pack(SUBJECT_REPLY, s.n, s.live, s.gen, s.cum, s.stamp or 0,
    s.mine and max(s.leaseEnd - s.d, 0) or 0, s.lost or 0, s.se >= s.sp and max(s.d - s.lastEnd, 0) or 0)
end

if status ~= 0 then
  for i = 1, nk do answer(subjects[i]) end
  for i = 1, nd do
    local known = status == 1 and nd == 1 and granted ~= UNKNOWN
    reply[#reply + 1] = pack(DEMAND_REPLY, known and granted or 0, 3, 1, 0)
  end
  return table.concat(reply)
end

-- what each gateway says of itself: absolute slots, lost state, debt, refund
for i = 1, nk do
  local s = subjects[i]
  local held, known, seen, debt, refund, refundStamp = unpack(SUBJECT, arg, at + SUBJECT_SIZE * (i - 1))
  s.was, s.now, s.add, s.fine = s.held or 0, held, debt, false
  s.live = max(s.live - s.was + held, 0)
  if s.fresh and (doubt == 1 or known ~= 0 and (seen > 0 or held > 0)) then s.gen = born + 1 end
  if known ~= s.gen and known > 0 then
    if seen > s.restored then
      s.add, s.lost = s.add + seen - s.restored, 1
      s.restored = seen
    end
  elseif known == -1 or stepped ~= 0 then
    s.add = s.add + max(seen - s.n, 0)
  end
  if refund > 0 then
    local off = refundStamp - s.epoch
    for p = s.se - SLOT + 1, s.sp, -SLOT do
      local e, before = unpack('<I4I4', s.v, p)
      if e <= off then
        local after = p + SLOT <= s.se and unpack('<I4', s.v, p + SLOT + 4) or s.cum
        if e == off and (after - before) % M32 >= refund then
          local out = {sub(s.v, 1, p + SLOT - 1)}
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
local demands, first = {}, 0
for j = 1, nd do
  local units, n, p = unpack('<I4I2', arg, body)
  local parts, m, code, key = {}, units, 0, 1
  for e = 1, n do
    local i, cost, slots, rpm, conc
    i, cost, slots, rpm, conc, p = unpack(PART, arg, p)
    parts[e] = {i = i, s = subjects[i], cost = cost, slots = slots, rpm = rpm, conc = conc}
  end
  body = p
  for e = 1, n do
    local x = parts[e]
    if x.cost > 0 and x.rpm > 0 then
      local fit = max(floor((x.rpm - x.s.n) / x.cost), 0)
      if fit < m then m, code, key = fit, 1, x.i end
    end
  end
  for e = 1, n do
    local x = parts[e]
    if x.slots > 0 and x.conc > 0 then
      local fit = max(floor((x.conc - x.s.live) / x.slots), 0)
      if fit < m then m, code, key = fit, 2, x.i end
    end
  end
  if strict == 1 and m > 0 then
    for e = 1, n do
      local x = parts[e]
      if x.s.gen % 2 == 1 and us - x.s.gen < YOUNG - 1 and us >= x.s.gen - 1 and
          (x.cost > 0 and x.rpm > 0 or x.slots > 0 and x.conc > 0) then
        m, code, key = 0, 3, x.i
        break
      end
    end
  end
  if m > 0 then
    for e = 1, n do
      local x, s = parts[e], parts[e].s
      s.n, s.add = s.n + m * x.cost, s.add + m * x.cost
      s.live, s.now = s.live + m * x.slots, s.now + m * x.slots
      if x.rpm > 0 and x.rpm <= 128 then s.fine = true end
    end
  end
  if j == 1 then first = m end
  demands[j] = {m = m, code = code, key = key, parts = parts}
end
if nd > 1 or first > UNKNOWN then first = UNKNOWN end

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
  if s.add > 0 or s.changed or assert_ == 1 or renew or s.now ~= s.was then
    local regs
    if s.mine then
      regs = sub(s.v, s.rp, s.mine - 1) .. sub(s.v, s.mine + REG, s.re)
    else
      regs = sub(s.v, s.rp, s.re)
    end
    regs = regs .. gw .. pack(REGF, d + ttl, s.now, seq, first)
    redis.call('SET', KEYS[i],
      pack(HEADF, s.gen, s.epoch, s.restored, s.live, s.cum, #regs / REG) .. regs .. sub(s.v, s.sp, s.se), 'PX', KEEP)
    s.mine, s.leaseEnd = 1, d + ttl
  end
  answer(s)
end

-- when does the next unit of a demand that was cut by rpm fit
for j = 1, nd do
  local dm = demands[j]
  local until_, key = 0, dm.key
  if dm.code == 1 then
    for e = 1, #dm.parts do
      local x, s = dm.parts[e], dm.parts[e].s
      local need = s.n + x.cost - x.rpm
      if x.rpm > 0 and x.cost > 0 and need > 0 then
        local w = wait(s.v, s.sp, s.se, s.cum, s.d, need)
        if w > until_ then until_, key = w, x.i end
      end
    end
  end
  reply[#reply + 1] = pack(DEMAND_REPLY, dm.m, dm.code, key, until_)
end
return table.concat(reply)
