-- The log of the requests of one token, shared by all machines: what `log.rs` does, by the clock of the server.
--
-- A request is a member of a sorted set; its score is the time at which the service has counted it at the latest, in microseconds since 1970:
-- that of its answer or, while it is under way (its name then begins with `o:`), ten seconds after it was sent. A time in the future counts as now.
--
-- KEYS: 1 the epoch of the server, shared by all tokens; 2 the state of the token; 3 all its requests; 4, 5 those of analytics and music.
-- ARGV: 1 the operation; 2 the time, in tests; 3 the server's run id; 4 the epoch that the client knows, empty if it has sent nothing;
--       5 the limits of the client and 6 those of the interface (a second, a minute, analytics, music), 5 is empty without any;
--       7 a report of what the client has sent, as JSON, or empty; 8 is 1 for background work; from 9 on what the operation needs.
-- Returns: 1 if the client has to report first, else 0; the epoch; requests left in this minute; and for `admit` and `forecast` the time to
--          wait in microseconds, -1 if the request is admitted, and the reason.

local SECOND, MINUTE, HOUR = 1000000, 60000000, 3600000000
-- Maximum time between sending a request and its being counted.
local TRANSIT = 10 * SECOND
-- Time from any request to the next one of background work, where the limit is one per second.
local BACKGROUND_GAP = SECOND * 5 / 4
-- Time for which a server that has started anew is told by the clients what they have sent.
local GATHERING = 2 * SECOND
local STATE_LIFETIME, LOG_LIFETIME, EPOCH_LIFETIME = 7200000, 120000, 86400000
local REASON = { second = 1, minute = 2, analytics = 3, music = 4, refused = 5, starting = 6 }

local operation, run, known, is_background = ARGV[1], ARGV[3], ARGV[4], ARGV[8] == '1'
local epoch_key, state_key, all = KEYS[1], KEYS[2], KEYS[3]
local own_set = { analytics = KEYS[4], music = KEYS[5] }
local sets = { KEYS[3], KEYS[4], KEYS[5] }

local function text(number) return string.format('%.0f', number) end

local now
if ARGV[2] ~= '' then
  now = tonumber(ARGV[2])
else
  local time = redis.call('TIME')
  now = tonumber(time[1]) * SECOND + tonumber(time[2])
end

-- A server that was restarted, even with old data, does not know the requests since. `since` makes the epoch unique and says when it began.
local epoch = redis.call('HMGET', epoch_key, 'run', 'since')
if epoch[1] ~= run or not epoch[2] or tonumber(epoch[2]) > now then
  epoch = { run, text(now) }
  redis.call('HSET', epoch_key, 'run', run, 'since', epoch[2])
end
redis.call('PEXPIRE', epoch_key, EPOCH_LIFETIME)
local epoch_name = run .. '.' .. epoch[2]
if known ~= '' and known ~= epoch_name and ARGV[7] == '' then
  return { 1, epoch_name, 0, 0, 0 }
end

-- The state: the limits that the service has reported, and the period in which nothing may be sent.
local state = redis.call('HMGET', state_key, 'limits', 'since', 'until')
local learned, blocked = state[1], nil
if state[3] then blocked = { since = tonumber(state[2]), ends = tonumber(state[3]) } end

local function numbers(list)
  local found = {}
  for number in string.gmatch(list, '[^,]+') do found[#found + 1] = tonumber(number) end
  return found
end

local function learn(list)
  learned = list
  redis.call('HSET', state_key, 'limits', list)
end

local function block(wait)
  local ends = now + math.min(wait, HOUR)
  if not blocked or blocked.ends < ends then
    blocked = { since = now, ends = ends }
    redis.call('HSET', state_key, 'since', text(now), 'until', text(ends))
  end
end

-- A request that was reserved is settled twice.
local function settle(ticket, time)
  for _, set in ipairs(sets) do
    if redis.call('ZREM', set, 'o:' .. ticket) == 1 or redis.call('ZSCORE', set, ticket) then
      redis.call('ZADD', set, text(time), ticket)
    end
  end
end

local function add(ticket, bucket, sent)
  redis.call('ZADD', all, text(sent + TRANSIT), 'o:' .. ticket)
  if own_set[bucket] then redis.call('ZADD', own_set[bucket], text(sent + TRANSIT), 'o:' .. ticket) end
end

-- Removes requests that no window reaches. Times in the future, because the clock was set back, become now.
local function forget()
  for _, set in ipairs(sets) do
    redis.call('ZREMRANGEBYSCORE', set, '-inf', text(now - MINUTE))
    local later = redis.call('ZRANGEBYSCORE', set, '(' .. text(now), '+inf', 'WITHSCORES')
    for index = 1, #later, 2 do
      local member, latest = later[index], now
      if string.sub(member, 1, 2) == 'o:' then latest = now + TRANSIT end
      if tonumber(later[index + 1]) > latest then redis.call('ZADD', set, text(latest), member) end
    end
  end
  if blocked then
    local length = math.min(math.max(blocked.ends - blocked.since, 0), HOUR)
    if blocked.since > now then
      blocked = { since = now, ends = now + length }
      redis.call('HSET', state_key, 'since', text(blocked.since), 'until', text(blocked.ends))
    end
    if now >= blocked.ends + MINUTE then
      blocked = nil
      redis.call('HDEL', state_key, 'since', 'until')
    end
  end
end

-- The limits in force: those of the service, but never more than the client allows itself.
local function limits_in_force()
  local ceiling = ARGV[5] ~= '' and numbers(ARGV[5]) or nil
  local reported = learned and numbers(learned) or nil
  if not ceiling then return reported or numbers(ARGV[6]) end
  for index, number in ipairs(reported or {}) do ceiling[index] = math.min(ceiling[index], number) end
  return ceiling
end

-- How much of a limit all clients together may have used before a request: background work leaves a fifth to people.
local function share(most)
  if not is_background then return most end
  return math.max(most - math.ceil(most / 5), 1)
end

local function windows(limits, bucket)
  local second = { set = all, most = limits[1], length = SECOND, reason = REASON.second }
  if blocked then second.most, second.reason = 1, REASON.refused end
  local gap = math.floor(BACKGROUND_GAP / math.max(second.most, 1))
  local found = { second, { set = all, most = limits[2], length = MINUTE, reason = REASON.minute } }
  if own_set[bucket] then
    local most = bucket == 'music' and limits[4] or limits[3]
    found[3] = { set = own_set[bucket], most = most, length = MINUTE, reason = REASON[bucket] }
  end
  -- A limit of zero would block for ever; the service never reports one.
  for _, window in ipairs(found) do window.most = math.max(share(window.most), 1) end
  if is_background and gap > 0 then
    table.insert(found, 2, { set = all, most = 1, length = gap, reason = second.reason })
  end
  return found
end

local function has_room(limits, bucket)
  if blocked and blocked.ends > now then return false end
  for _, window in ipairs(windows(limits, bucket)) do
    local from = '(' .. text(now - window.length)
    if redis.call('ZCOUNT', window.set, from, '+inf') >= window.most then return false end
  end
  return true
end

-- Returns how long a request waits at least, and why, if `ahead` others of its bucket go first and are answered at once.
local function longest_wait(limits, bucket, ahead)
  local wait, reason = 0, REASON.refused
  if blocked then wait = math.max(blocked.ends - now, 0) end
  local found = windows(limits, bucket)
  for _, window in ipairs(found) do
    -- No other times matter than the newest.
    local newest = redis.call('ZREVRANGE', window.set, 0, text(window.most - 1), 'WITHSCORES')
    window.times = {}
    for index = #newest, 2, -2 do
      window.times[#window.times + 1] = math.min(tonumber(newest[index]), now)
    end
  end
  for _ = 0, ahead do
    for _, window in ipairs(found) do
      local oldest = window.times[#window.times - window.most + 1]
      local opens_in = oldest and oldest + window.length - now or 0
      if opens_in > wait then wait, reason = opens_in, window.reason end
    end
    for _, window in ipairs(found) do window.times[#window.times + 1] = now + wait end
  end
  return wait, reason
end

-- What the client has sent before it knew this epoch, by age.
if ARGV[7] ~= '' then
  local report = cjson.decode(ARGV[7])
  for _, request in ipairs(report.sent) do
    local ticket, bucket, sent, answered = unpack(request)
    local is_known = redis.call('ZSCORE', all, ticket) or redis.call('ZSCORE', all, 'o:' .. ticket)
    if not is_known then add(ticket, bucket, now - sent) end
    if answered >= 0 then settle(ticket, now - answered) end
  end
  if report.blocked > 0 then block(report.blocked) end
  if report.limits ~= '' and not learned then learn(report.limits) end
end

local wait, reason = 0, 0
if operation == 'admit' then
  local ticket, bucket = ARGV[9], ARGV[10]
  forget()
  local limits = limits_in_force()
  local gathered = tonumber(epoch[2]) + GATHERING - now
  if redis.call('ZSCORE', all, 'o:' .. ticket) then
    -- The answer to the same question was lost.
    wait = -1
  elseif gathered > 0 then
    wait, reason = gathered, REASON.starting
  elseif has_room(limits, bucket) then
    wait = -1
    add(ticket, bucket, now)
  else
    wait, reason = longest_wait(limits, bucket, 0)
  end
elseif operation == 'forecast' then
  forget()
  wait, reason = longest_wait(limits_in_force(), ARGV[9], tonumber(ARGV[10]))
elseif operation == 'settle' then
  settle(ARGV[9], now)
elseif operation == 'block' then
  block(tonumber(ARGV[9]))
elseif operation == 'learn' then
  learn(ARGV[9])
end

redis.call('PEXPIRE', state_key, STATE_LIFETIME)
for _, set in ipairs(sets) do redis.call('PEXPIRE', set, LOG_LIFETIME) end
local left = math.max(share(limits_in_force()[2]) - redis.call('ZCOUNT', all, '(' .. text(now - MINUTE), '+inf'), 0)
return { 0, epoch_name, left, wait, reason }
