/** English words that say nothing about what somebody wants, in lower case. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about an and any are as at be been but by can could did do does for from had has have he her him his how i if in into is it
   its itself just let like me my myself of on or our ours please she should so some something somebody somewhere than that the
   their them then there these they this those to too us very was we were what when whenever where which while who whom will
   with without would you your yours need needs want wants`
    .trim()
    .split(/\s+/),
)
