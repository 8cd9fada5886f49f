import type { AgentOrder, AgentOutcome, AgentRunner } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { SkillsOptions } from '../../src/types.js'
import { call, makeProject, sessionRef, skill } from '../project.js'

/** Notes its orders, and gives what it is told. */
function runner(
  answer: AgentOutcome | ((order: AgentOrder) => Promise<AgentOutcome>) = { done: true, text: 'Found.' },
) {
  const orders: AgentOrder[] = []
  const found: AgentRunner = {
    async run(order) {
      orders.push(order)
      return typeof answer === 'function' ? answer(order) : answer
    },
  }
  return { orders, runner: found }
}

async function load(header: string, options: Partial<SkillsOptions>, body = 'Review $ARGUMENTS.') {
  const project = await makeProject({ 'skills/it/SKILL.md': skill(`description: D.\nmode: fork\n${header}`, body) })
  return { project, skills: await project.load({ trusted: () => true, ...options }) }
}

describe('A forked skill', () => {
  it('is an order to a sub-agent, and its last message the result', async () => {
    const { orders, runner: run } = runner()
    const { skills, project } = await load(
      'agent: Reviewer\nmodel: opus\neffort: max\nfork_context: recent\nallowed-tools: Read, Bash(git *)\ndisallowed-tools: Bash(git push *)',
      { runner: run },
    )
    const session = skills.session(sessionRef())
    expect(await session.activate('it', { via: 'model', args: 'src' })).toMatchObject({
      mode: 'fork',
      text: 'Found.',
      cut: false,
    })
    expect(orders).toEqual([
      {
        session: sessionRef(),
        type: 'Reviewer',
        model: 'opus',
        effort: 'max',
        context: 'recent',
        tools: ['Read', 'Bash'],
        prompt: `# Skill it\n\nIts folder, from where its paths start: ${project.path('skills/it')}\n\nReview src.`,
        terms: [
          { by: 'skill it', disallowed: ['Bash(git push *)'] },
          { by: 'skill it', restrict: ['Read', 'Bash(git *)'] },
          { by: 'skill it', grants: ['Read', 'Bash(git *)'] },
        ],
      },
    ])
    expect(session.active()).toEqual([])
    expect(session.terms()).toEqual([])
  })

  it('has every tool of its session without a list, and none but those of the agent with an empty one', async () => {
    for (const [header, tools] of [
      ['', ['*']],
      ['allowed-tools: []', []],
    ] as const) {
      const { orders, runner: run } = runner()
      const { skills } = await load(header, { runner: run })
      await skills.session(sessionRef()).activate('it', { via: 'model' })
      expect(orders[0]?.tools).toEqual(tools)
    }
  })

  it('that is not trusted is limited to its list, which approves nothing', async () => {
    const { orders, runner: run } = runner()
    const { skills } = await load('allowed-tools: Bash', { runner: run, trusted: () => false })
    await skills.session(sessionRef()).activate('it', { via: 'model' })
    expect(orders[0]?.terms).toEqual([{ by: 'skill it', restrict: ['Bash'] }])
  })

  it('gives back 16 KiB at most, and says that there was more', async () => {
    const { runner: run } = runner({ done: true, text: 'é'.repeat(10_000) })
    const { skills } = await load('', { runner: run })
    const session = skills.session(sessionRef())
    const found = await session.activate('it', { via: 'model' })
    expect(found).toMatchObject({ mode: 'fork', cut: true, text: 'é'.repeat(8192) })
    const { text, isError } = await call(session.tools()[0], { name: 'it' })
    expect(isError).toBe(false)
    expect(text).toContain('[The rest of the result is left out: it was too long.]')
  })

  it('that does not finish is an error that says why, with its last words', async () => {
    const { runner: run } = runner({ done: false, text: 'I got as far as', problem: 'The limit is reached.' })
    const { skills } = await load('', { runner: run })
    const session = skills.session(sessionRef())
    expect(await session.activate('it', { via: 'model' })).toMatchObject({ code: 'skills.fork.failed' })
    expect(await call(session.tools()[0], { name: 'it' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/The limit is reached\. Its last words: I got as far as/),
    })
  })

  it('can not be started in a host without sub-agents, which is said when it is loaded', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': skill('description: D.\ncontext: fork') })
    const { runner: _, ...options } = { runner: undefined, layers: [project.source('skills')] }
    const { loadSkills } = await import('../../src/index.js')
    const { nodeFiles } = await import('@ext/kernel/node')
    const skills = await loadSkills({ ...options, ports: { files: nodeFiles() }, projectDir: project.root })
    expect(skills.diagnostics).toMatchObject([{ code: 'skills.fork.no-runner', severity: 'warning' }])
    expect(await skills.session(sessionRef()).activate('it', { via: 'user' })).toMatchObject({
      code: 'skills.fork.no-runner',
      problem: expect.stringContaining('runs in a sub-agent, and there are none here'),
    })
  })

  it('is in force while it runs, in its session and in what runs for it, and no longer', async () => {
    const seen: (readonly string[])[] = []
    const { runner: run } = runner(async () => {
      const names = [sessionRef(), { ...sessionRef(), origin: 'hook' as const }, sessionRef('other')].map((ref) =>
        skills
          .session(ref)
          .inForce()
          .map(({ name }) => name)
          .join(),
      )
      seen.push(names)
      throw new Error('crashed')
    })
    const { skills } = await load('', { runner: run })
    const session = skills.session(sessionRef())
    expect(await session.activate('it', { via: 'model' })).toMatchObject({ code: 'skills.fork.failed' })
    expect(seen).toEqual([['it', 'it', '']])
    expect(session.inForce()).toEqual([])
  })

  it('lets other skills be loaded while it runs', async () => {
    let finish = (_: AgentOutcome) => {}
    const { runner: run } = runner(() => new Promise((resolve) => (finish = resolve)))
    const { skills, project } = await load('', { runner: run })
    await project.write('skills/b/SKILL.md', skill('description: B.'))
    await skills.reload()
    const session = skills.session(sessionRef())
    const forked = session.activate('it', { via: 'model' })
    expect(await session.activate('b', { via: 'model' })).toMatchObject({ mode: 'inline' })
    finish({ done: true, text: 'Late.' })
    expect(await forked).toMatchObject({ text: 'Late.' })
  })

  it('goes on with the version that was read before when its file breaks', async () => {
    const { orders, runner: run } = runner()
    const { skills, project } = await load('', { runner: run })
    const session = skills.session(sessionRef())
    await session.activate('it', { via: 'model' })
    await project.write('skills/it/SKILL.md', '---\nbroken')
    expect(await session.activate('it', { via: 'model' })).toMatchObject({
      mode: 'fork',
      stale: expect.stringMatching(/never closed/),
    })
    expect(orders[1]?.prompt).toBe(orders[0]?.prompt)
    const { text } = await call(session.tools()[0], { name: 'it' })
    expect(text).toContain('The version that was read before is used, since the file is broken now:')
  })

  it('runs in the conversation from the moment that its file says so', async () => {
    const { orders, runner: run } = runner()
    const { skills, project } = await load('', { runner: run })
    await project.write('skills/it/SKILL.md', skill('description: D.', 'Now inline.'))
    expect(await skills.session(sessionRef()).activate('it', { via: 'model' })).toMatchObject({ mode: 'inline' })
    expect(orders).toEqual([])
  })
})
