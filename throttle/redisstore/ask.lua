-- One question of a budget, in one step: see throttle.Ask, and throttle.Memory,
-- which does the same. All times are in microseconds. Numbers stay below 2^53,
-- where those of Lua are exact.
--
-- KEYS  1 the cool-down, 2 the parties, 3 the policies, then one for each limit
-- ARGV  1 from, 2 cool-down (0 none, -1 over), 3 horizon, 4 whether to send the
--       policies, 5 whether the asker went on without us, then 14 for each limit

local far = 2251799813685248 -- 2^51
local kept = 3600000         -- ms that a key is kept once it is of no more use
local party = 60000000
local policies = 64          -- no more than so many are kept

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function int(n) return string.format('%.0f', n) end

local cool = tonumber(redis.call('GET', KEYS[1]) or '0')
local told = tonumber(ARGV[2])
if told < 0 then
  redis.call('DEL', KEYS[1])
  cool = 0
elseif told > 0 and now + told > cool then
  cool = now + told
  redis.call('SET', KEYS[1], int(cool), 'PX', int(told / 1000 + kept))
end

local others = redis.call('ZCARD', KEYS[2])
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  others = others - 1
end
local only = others == 0

local limits, first, takes = {}, cool, false
for i = 1, #KEYS - 3 do
  local at = 6 + (i - 1) * 14
  local window, interval, take = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local ahead, new, known = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  local back, backTo = tonumber(ARGV[at + 7]), tonumber(ARGV[at + 8])
  local lo, hi, debt = tonumber(ARGV[at + 9]), tonumber(ARGV[at + 10]), tonumber(ARGV[at + 11])

  local was = redis.call('HMGET', KEYS[i + 3], 'tat', 'moved', 'calm')
  local tat, moved, calm = tonumber(was[1]), tonumber(was[2]), tonumber(was[3])
  if not (tat and moved and calm) then
    -- It may be that nobody has called, and it may be that we lost what we had.
    tat, moved, calm = now + math.max(new, window - interval), 0, 0
    if known > 0 then
      tat, moved = now + new, far
    end
  end
  if ARGV[5] == '1' then
    tat, moved = math.max(tat, now + window - interval), far
  end
  tat = math.max(tat, known)
  if back > 0 and tat == backTo then
    tat = tat - back
  end
  if cool > 0 then
    tat = math.max(tat, cool + window - interval)
  end
  if lo then
    if only then
      tat = math.min(tat, now + math.max(lo, hi + moved))
    end
    if now + lo > tat then
      -- Somebody else has taken some, and up to one more than can be seen.
      tat = now + math.max(lo, math.min(lo + interval, hi))
    end
  end
  if now >= calm then
    local one = now + window - interval
    if debt > 0 then
      tat = math.max(tat, now) + debt
      calm = tat
    elseif debt < 0 and tat > one then
      calm = tat
      tat = math.max(one, tat + debt)
    end
  end
  local start = tat
  if take > 0 then
    takes = true
    start = math.max(tat, now + ahead)
    first = math.max(first, start + tonumber(ARGV[at + 3]) - window)
  end
  limits[i] = {key = KEYS[i + 3], tat = tat, moved = moved, calm = calm, start = start, take = take,
    same = was[1] == int(tat), name = ARGV[at + 12], policy = ARGV[at + 13]}
end

local wait = 0
if takes and first - now > tonumber(ARGV[3]) then
  wait = first - now
end
local answer = {now, 0, math.max(0, cool - now), wait}

for _, l in ipairs(limits) do
  local tat, moved = l.tat, l.moved
  if l.take > 0 and wait == 0 then
    tat, moved = l.start + l.take, math.min(far, moved + l.take)
  end
  if not l.same or tat > l.tat then
    redis.call('HSET', l.key, 'tat', int(tat), 'moved', int(moved), 'calm', int(l.calm))
    redis.call('PEXPIRE', l.key, int(math.max(0, tat - now) / 1000 + kept))
  end
  if l.policy ~= '' then
    if redis.call('HLEN', KEYS[3]) >= policies then
      redis.call('DEL', KEYS[3]) -- names that hold an identifier, or an attack
    end
    redis.call('HSET', KEYS[3], l.name, l.policy)
    redis.call('PEXPIRE', KEYS[3], int(kept))
  end
  answer[#answer + 1] = tat > l.tat and l.start or tat
  answer[#answer + 1] = tat
end

if wait == 0 then
  redis.call('ZADD', KEYS[2], int(now), ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. int(now - party))
  redis.call('PEXPIRE', KEYS[2], int(party / 1000))
end
answer[2] = redis.call('ZCARD', KEYS[2])

if ARGV[4] == '1' then
  for _, policy in ipairs(redis.call('HVALS', KEYS[3])) do
    answer[#answer + 1] = policy
  end
end
return answer
