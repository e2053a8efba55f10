// Looks at modules of the page one by one. Runs within the page, and returns what is wrong.
export async function checkModules() {
  // Whether `work` of four times the size takes clearly more than four times as long, as it does
  // where the time grows with the square. The machine may be slow, and busy now and then.
  const growsWithTheSquare = async (work, size) => {
    const least = [Infinity, Infinity];
    const measure = async (of, which) => {
      const start = performance.now();
      await work(of);
      least[which] = Math.min(least[which], performance.now() - start);
    };
    for (let attempt = 0; attempt < 6; ++attempt) {
      await measure(Math.round(size / 4), 0);
      await measure(size, 1);
      if (least[1] > 20_000) return true;  // no machine is that slow
      if (least[1] <= 8 * least[0] + 50) return false;
    }
    return true;
  };
  const wrong = [];
  const expectEqual = (name, is, wanted) => {
    const [a, b] = [JSON.stringify(is), JSON.stringify(wanted)];
    if (a !== b) wrong.push(`${name}: ${a} instead of ${b}`);
  };
  const [{ showMarkdown }, { lineDiff }, { readEvents }, { visibleText }, { Answer }] = await Promise.all([
    'markdown', 'line_diff', 'event_reader', 'dom', 'answer'].map((name) => import(`/page/${name}.js`)));

  const shown = (text) => {
    const node = document.createElement('div');
    showMarkdown(node, text);
    return node;
  };
  const kMarkdown = [
    ['a *b* c', '<p>a <em>b</em> c</p>'],
    ['***b*** __c__', '<p><strong><em>b</em></strong> <strong>c</strong></p>'],
    ['**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
    ['*a **b** c*', '<p><em>a <strong>b</strong> c</em></p>'],
    ['2 * 3 * 4 and a_b_c and **', '<p>2 * 3 * 4 and a_b_c and **</p>'],
    ['`` a`b `` and `*c*`', '<p><code>a`b</code> and <code>*c*</code></p>'],
    ['*a `*` b*', '<p><em>a <code>*</code> b</em></p>'],
    ['\\*a\\* \\<', '<p>*a* &lt;</p>'],
    ['a\nb', '<p>a<br>b</p>'],
    ['[a](javascript:b) [c](//d) [e]', '<p>a c [e]</p>'],
    ['![p](data:image/png;base64,AA)', '<p>[picture: p]</p>'],
    ['## A `b` ##', '<h3>A <code>b</code></h3>'],
    ['#no', '<p>#no</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['- a\n\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
    ['- a\n  1. b\n  2. c\n- d', '<ul><li>a<ol start="1"><li>b</li><li>c</li></ol></li><li>d</li></ul>'],
    ['3. a\n4. b\n\nc', '<ol start="3"><li>a</li><li>b</li></ol><p>c</p>'],
    ['- a\n* b', '<ul><li>a</li></ul><ul><li>b</li></ul>'],
    ['> a\n> - b', '<blockquote><p>a</p><ul><li>b</li></ul></blockquote>'],
    ['| a\n| -', '<div class="table"><table><thead><tr><th class="left">a</th></tr></thead><tbody></tbody></table></div>'],
    ['a | b\n- | -\nc \\| d | `e`', '<div class="table"><table><thead><tr><th class="left">a</th><th class="left">b</th>' +
      '</tr></thead><tbody><tr><td class="left">c | d</td><td class="left"><code>e</code></td></tr></tbody></table></div>'],
    ['a | b\n- | -\nc\nd | e | f\n|', '<div class="table"><table><thead><tr><th class="left">a</th><th class="left">b</th>' +
      '</tr></thead><tbody></tbody></table></div><p>c<br>d | e | f<br>|</p>'],
    ['|a|b|\n|:-|-:|\n|c|\n|d|e|f|', '<div class="table"><table><thead><tr><th class="left">a</th><th class="right">b</th>' +
      '</tr></thead><tbody><tr><td class="left">c</td></tr><tr><td class="left">d</td><td class="right">e</td></tr>' +
      '</tbody></table></div>'],
    ['a | b\n-- | x', '<p>a | b<br>-- | x</p>'],
    ['a\n\n---\n\n* * *', '<p>a</p><hr><hr>'],
    ['# a # b ##  \n#\t#\n####### c', '<h2>a # b</h2><h2></h2><p>####### c</p>'],
    ['# a\r\n\r\n- b\r\n- c\r\n\r\n```js\r\nd\r\n```\r\n', '<h2>a</h2><ul><li>b</li><li>c</li></ul><figure class="code">' +
      '<figcaption><span class="language">js</span><button class="button quiet small" type="button">Copy</button></figcaption>' +
      '<pre tabindex="0"><code>d</code></pre></figure>'],
    ['a \\\nb', '<p>a<br>b</p>'],
    ['` a ` `  ` ` b`', '<p><code>a</code> <code>  </code> <code> b</code></p>'],
    ['[a]( <b> )[c](d(e) "f") [g](h \'i\'\n)[j](k "l', '<p>ac g[j](k "l</p>'],
    ['<b>a</b>&amp;', '<p>&lt;b&gt;a&lt;/b&gt;&amp;amp;</p>'],
  ];
  for (const [text, html] of kMarkdown) expectEqual(text, shown(text).innerHTML, html);
  const long = kMarkdown.map(([text]) => text).join('\n\n');
  const grown = document.createElement('div');
  for (let end = 0; end <= long.length; ++end) showMarkdown(grown, long.slice(0, end));
  expectEqual('text that grows', grown.innerHTML, shown(long).innerHTML);

  // No text of a model may keep the page busy.
  for (const piece of ['*', '**a', '_a ', '`', '``a', '[', '![', '[a](', '<', 'http://', '> ', '- ', '1. ', '| ', '|-', '# ',
                       '\\', '~~a', '***', ' ', '\t- ', '>', '[a](b "', '(', '```\n', '| a |\n', '- a\n\n', '*a _b ']) {
    if (await growsWithTheSquare((size) => shown(piece.repeat(size / piece.length)), 20_000)) {
      wrong.push(`${piece} many times takes too long`);
    }
    if (await growsWithTheSquare((lines) => shown(`a\n${piece}`.repeat(lines)), 1000)) {
      wrong.push(`${piece} in many lines takes too long`);
    }
  }

  const kLongTexts = [
    [1500, (n) => `${'|'.repeat(n + 1)}\n${'|-'.repeat(n)}\n${'|\n'.repeat(n)}`],
    [50_000, (n) => `${'|'.repeat(91)}\n${'|-'.repeat(90)}\n${'|\n'.repeat(n)}`],
    [6000, (n) => `# ${' '.repeat(n)}\u2028`],
    [30_000, (n) => `# ${' #'.repeat(n)}x`],
    [60_000, (n) => `a|b\n-${' '.repeat(n)}x`],
    [30_000, (n) => `a|b\n${'- '.repeat(n)}x`],
    [60_000, (n) => `${' '.repeat(n)}x\ny`],
    [60_000, (n) => `${' '.repeat(n)}x  \ny`.repeat(3)],
    [30_000, (n) => `x${'\\ '.repeat(n)}x\ny`],
    [240, (n) => `[a](${' '.repeat(1990)}x `.repeat(n)],
    [60_000, (n) => `\` ${'a'.repeat(n)}\``],
    [30_000, (n) => `${'~'.repeat(n)}${'a'.repeat(n)}\``],
    [1990, (n) => `[a](${' '.repeat(n)}x `.repeat(240)],
    [240, (n) => `http://a${'.'.repeat(1990)}x `.repeat(n)],
    [1990, (n) => `http://a${'.'.repeat(n)}x `.repeat(240)],
    [200_000, (n) => '- a\n'.repeat(n)],
    [130_000, (n) => '**a** '.repeat(n)],
    [10_000, (n) => '> a\n\n'.repeat(n)],
  ];
  for (const [size, textOf] of kLongTexts) {
    const name = JSON.stringify(textOf(size).slice(0, 20));
    try {
      if (await growsWithTheSquare((n) => shown(textOf(n)), size)) wrong.push(`${name} and so on takes too long`);
    } catch (error) {
      wrong.push(`${name} and so on: ${error}`);
    }
  }
  const wide = `${'a|'.repeat(101)}\n${'-|'.repeat(101)}\n`;
  expectEqual('a table that is too wide', shown(wide).querySelector('table, p').tagName, 'P');
  const high = shown(`a|b\n-|-\n${'c|d\n'.repeat(6000)}`);
  expectEqual('a table that is too long', [...high.children].map((node) => [node.tagName, node.querySelectorAll('td, th, br').length]),
              [['DIV', 10_000], ['P', 1000]]);

  const diff = (before, after) => lineDiff(before, after).map(({ kind, text }) => `${kind[0]}${text}`).join(' ');
  expectEqual('diff', diff('a\nb\nc\n', 'a\nx\nc\nd\n'), 'sa rb ax sc ad');
  expectEqual('diff of a new file', diff('', 'a\n'), 'aa');
  expectEqual('diff of no file', diff('a', ''), 'ra');
  expectEqual('diff of the same', diff('a\nb', 'a\nb'), 'sa sb');
  const { changeView } = await import('/page/diff_view.js');
  const marks = (before, after) => changeView(before, after).textContent.split('U+000D').length - 1;
  expectEqual('change of lines that end in CR LF', [marks('a\r\nb\r\n', 'a\r\nc\r\n'), marks('a\n', 'a\r\n')], [0, 1]);
  const many = Array.from({ length: 5000 }, (_, line) => line).join('\n');
  expectEqual('diff of much', lineDiff(many, `${many}x\n${many}`).filter(({ kind }) => kind === 'removed').length, 0);

  const stream = ': note\r\n\r\nevent: a\ndata: 1\ndata: \u00e92\n\ndata:3\n\nevent: lost\n\nevent: cut\ndata: 4\n';
  const bytes = new TextEncoder().encode(stream);
  for (let size = 1; size < bytes.length; ++size) {
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const events = [];
    for await (const { event, data } of readEvents(body)) events.push([event, data]);
    expectEqual(`events in pieces of ${size}`, events, [['a', '1\n\u00e92'], ['', '3']]);
  }

  const readLargeEvent = async (pieces) => {
    const piece = new TextEncoder().encode('x'.repeat(8192));
    let rest = pieces;
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(rest === pieces ? new TextEncoder().encode('data: ') : rest > 0 ? piece : new TextEncoder().encode('\r\n\r\n'));
        if (rest-- === 0) controller.close();
      },
    });
    const lengths = [];
    for await (const { data } of readEvents(body)) lengths.push(data.length);
    expectEqual('a large event', lengths, [(pieces - 1) * 8192]);
  };
  if (await growsWithTheSquare(readLargeEvent, 4000)) wrong.push('an event in many pieces takes too long');

  for (const unseen of ['\u3164', '\u115f', '\uffa0', '\u034f', '\u180b', '\ufe0f', '\u{e0041}', '\ufffa', '\u2800', '\u00a0',
                        '\u3000', '\u2028', '\u00ad', '\ud800', '\u001b', '\u202e']) {
    const number = unseen.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    expectEqual(`U+${number}`, visibleText(`a${unseen}b`), `a\u27e8U+${number}\u27e9b`);
  }
  expectEqual('text that is seen', visibleText('a \t\n\u00e4\u{1f600}\u4e2d'), 'a \t\n\u00e4\u{1f600}\u4e2d');
  expectEqual('visible text', visibleText('a\u202eb\r\n\tc\u0000'), 'a\u27e8U+202E\u27e9b\u27e8U+000D\u27e9\n\tc\u27e8U+0000\u27e9');

  const answer = new Answer();
  const tool = (id, type, metadata) => {
    answer.apply({ event: 'document_start', id, type, metadata });
    answer.apply({ event: 'document_end', documentId: id });
  };
  answer.apply({ event: 'document_start', id: 'd1', type: 'text', metadata: { format: 'markdown' } });
  answer.apply({ event: 'content_delta', documentId: 'd1', delta: 'Look:' });
  answer.apply({ event: 'document_end', documentId: 'd1', finalContent: 'Look:' });
  answer.apply({ event: 'document_start', id: 'd2', type: 'code_block', metadata: { language: 'md', purpose: 'example' } });
  answer.apply({ event: 'document_end', documentId: 'd2', finalContent: '```x```' });
  tool('d3', 'tool_call', { toolName: 'grep', toolCallId: '', arguments: { pattern: 'a' },
                            result: { status: 'success', data: 'a'.repeat(30_000) }, duration_ms: 1 });
  answer.apply({ event: 'content_delta', documentId: 'unknown', delta: 'x' });
  answer.apply({ event: 'new_in_a_later_version' });
  const messages = answer.toMessages(0);
  expectEqual('messages', messages.map(({ role, content }) => [role, content?.slice(0, 40) ?? null]), [
    ['assistant', 'Look:\n\n````md\n```x```\n````'], ['assistant', null],
    ['tool', '{"status":"success","data":"aaaaaaaaaaaa'], ['assistant', 'I was interrupted.']]);
  expectEqual('id of a call', messages[1].tool_calls[0].id, messages[2].tool_call_id);
  const kept = answer.kept().parts[2].metadata.result.data;
  expectEqual('what is kept', [kept.length < 21_000, kept.includes('10000 characters were not kept')], [true, true]);

  const { DocumentView } = await import('/page/document_view.js');
  const viewOf = (type, content, metadata) =>
    new DocumentView({ id: 'd', type, content, metadata, open: false }, {}).body;
  const edit = (content, metadata) => {
    const body = viewOf('file_edit', content, { filePath: 'a.py', language: 'python', ...metadata });
    return ['.line.removed', '.line.added', '.code code'].map((which) =>
      [...body.querySelectorAll(which)].map((node) => node.lastChild.textContent.trim()).join('|'));
  };
  expectEqual('a new file', edit('a\nb\n', { operation: 'create', diff: null }), ['', 'a|b', '']);
  expectEqual('a change', edit('c\n', { operation: 'edit', diff: { oldString: 'a\nb\n', newString: 'c\n', startLine: 2, endLine: 3 } }), ['a|b', 'c', '']);
  expectEqual('a change without a diff', edit('x = 1', { operation: 'edit' }), ['', '', 'x = 1']);
  expectEqual('a change of which nobody told', edit(null, { operation: 'edit', diff: null }), ['', '', '']);
  expectEqual('a deletion', edit(null, { operation: 'delete', diff: { oldString: 'a\n', newString: '', startLine: 1, endLine: 1 } }), ['a', '', '']);
  const wrongs = (details) => viewOf('error', 'not read', { errorCode: 'x', source: 'read', details }).textContent;
  expectEqual('an error', wrongs('no such file'), 'Error: not readno such filex, told by: read');
  expectEqual('an error that repeats itself', wrongs('not'), 'Error: not readx, told by: read');
  expectEqual('the name of a block', viewOf('code_block', 'x', { language: 'python', purpose: 'new_code', filePath: 'src/a.py' })
    .querySelector('.language').textContent, 'src/a.py');

  const edited = new Answer();
  edited.apply({ event: 'document_start', id: 'd1', type: 'file_edit',
                 metadata: { filePath: 'a.py', operation: 'create', language: 'python', diff: null } });
  edited.apply({ event: 'content_delta', documentId: 'd1', delta: 'b'.repeat(30_000) });
  edited.apply({ event: 'document_end', documentId: 'd1', finalContent: 'b'.repeat(30_000) });
  expectEqual('a new file as a call', JSON.parse(edited.toMessages(0)[0].tool_calls[0].function.arguments).code_edit.length, 30_000);
  expectEqual('what is kept of a new file', edited.kept().parts[0].content.length < 21_000, true);

  const fences = new Answer();
  fences.apply({ event: 'document_start', id: 'd1', type: 'code_block', metadata: { language: '' } });
  fences.apply({ event: 'document_end', documentId: 'd1', finalContent: '``` `'.repeat(200_000) });
  expectEqual('a code block with many fences', fences.toMessages(0)[0].content.slice(0, 8), '`````\n``');
  return wrong;
}
