// Checks pages of Markdown: node markdown.mjs FILE...
//
// A page has to be as prettier leaves it and without findings of markdownlint; an
// .mdx page has to compile. Findings are printed, and end the program with 1.
//
// prettier leaves blocks of code alone: they are their authors'. Of markdownlint's
// rules, those that are off in markdownlint.json speak about what authors write:
// long lines (MD013), numbers of lists (MD029), spaces in code (MD038), code without
// a language (MD040), punctuation in headings (MD026), words of links (MD059), tables with
// characters of which it does not know how wide prettier makes them (MD060). Or
// about what a reference cannot do without: types with equal names (MD024), tags for
// its anchors (MD033), and links to them (MD051), which the Go tests follow.
import { readFileSync } from 'node:fs';
import { compile } from '@mdx-js/mdx';
import { lint } from 'markdownlint/sync';
import * as prettier from 'prettier';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';

const config = JSON.parse(readFileSync(new URL('markdownlint.json', import.meta.url), 'utf8'));
let findings = 0;

function report(file, text) {
  findings++;
  console.log(`${file}: ${text}`);
}

// firstDifference shows where prettier would begin to change a page.
function firstDifference(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const i = a.findIndex((line, i) => line !== b[i]);
  return `${i + 1}\n  - ${a[i]}\n  + ${b[i]}`;
}

for (const file of process.argv.slice(2)) {
  const source = readFileSync(file, 'utf8');
  const isMDX = file.endsWith('.mdx');
  const formatted = await prettier.format(source, {
    parser: isMDX ? 'mdx' : 'markdown',
    embeddedLanguageFormatting: 'off',
  });
  if (formatted !== source) {
    report(file, `prettier changes line ${firstDifference(source, formatted)}`);
  }
  const results = lint({ strings: { [file]: source }, config });
  for (const f of results[file]) {
    report(file, `${f.lineNumber}: ${f.ruleNames[0]} ${f.ruleDescription} ${f.errorDetail ?? ''} ${f.errorContext ?? ''}`);
  }
  if (isMDX) {
    try {
      await compile(source, { remarkPlugins: [remarkGfm, remarkFrontmatter] });
    } catch (error) {
      report(file, `does not compile: ${error}`);
    }
  }
}
process.exit(findings > 0 ? 1 : 0);
