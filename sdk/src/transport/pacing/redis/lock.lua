-- The lock of a page, shared by all machines, by the clock of the server.
--
-- KEYS: 1 the lock. ARGV: 1 the server's run id; 2 the number under which the client has the lock, 0 to take it; 3 its lifetime in
-- microseconds, 0 to give it up; 4 the name of the question, the same if it is asked again because its answer was lost.
-- Returns the number of the lock: higher than all before, also after the server has forgotten them. 0 if another machine has it, or has had it.

local LIFETIME = 86400000
local run, held, lifetime, question = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function text(number) return string.format('%.0f', number) end

local lock = redis.call('HMGET', KEYS[1], 'number', 'until', 'run', 'question')
local number, ends = lock[1], tonumber(lock[2] or '0')
if held == '0' then
  local is_taken = lock[3] == run and ends > now
  if is_taken and lock[4] ~= question then return 0 end
  if not is_taken then number = text(math.max(now, tonumber(number or '0') + 1)) end
elseif number ~= held or lock[3] ~= run then
  return 0
end
redis.call('HSET', KEYS[1], 'number', number, 'until', text(now + lifetime), 'run', run, 'question', question)
redis.call('PEXPIRE', KEYS[1], LIFETIME)
return tonumber(number)
