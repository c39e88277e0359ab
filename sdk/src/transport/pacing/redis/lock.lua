-- The lock of a page, shared by all machines, by the clock of the server.
--
-- KEYS: 1 the lock. ARGV: 1 the server's run id; 2 the number under which the client has the lock, 0 to take it; 3 its lifetime in
-- microseconds, 0 to give it up.
-- Returns the number of the lock: higher than all before, also after the server has forgotten them. 0 if another machine has it, or has had it.

local LIFETIME = 86400000
local run, held, lifetime = ARGV[1], ARGV[2], tonumber(ARGV[3])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function text(number) return string.format('%.0f', number) end

local lock = redis.call('HMGET', KEYS[1], 'number', 'until', 'run')
local number, ends = lock[1], tonumber(lock[2] or '0')
if held == '0' then
  if lock[3] == run and ends > now then return 0 end
  number = text(math.max(now, tonumber(number or '0') + 1))
elseif number ~= held or lock[3] ~= run then
  return 0
end
redis.call('HSET', KEYS[1], 'number', number, 'until', text(now + lifetime), 'run', run)
redis.call('PEXPIRE', KEYS[1], LIFETIME)
return tonumber(number)
