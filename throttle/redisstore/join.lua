-- When one who went on without us may come back, in milliseconds from now. While
-- others are here, at once. If nobody is, all who come find the same instant: else
-- the first would have all of the limit, while the others still have their parts.
--
-- KEYS  1 the parties, 2 the instant
-- ARGV  1 from, 2 how many shared the budget before, 0 if that is not known

if ARGV[2] == '1' then
  return 0
end
local time = redis.call('TIME')
local recent = time[1] * 1000000 + time[2] - 1000000
local here = redis.call('ZCOUNT', KEYS[1], string.format('%.0f', recent), '+inf')
local mine = redis.call('ZSCORE', KEYS[1], ARGV[1])
if mine and tonumber(mine) >= recent then
  here = here - 1
end
if here > 0 then
  return 0
end
redis.call('SET', KEYS[2], '1', 'NX', 'PX', 2000)
return redis.call('PTTL', KEYS[2])
