// Few rules, all errors. Names that do not exist and types that do not fit are the type checker's.

import js from '@eslint/js';

const REDEFINABLE = [
  'push|pop|shift|unshift|splice|concat|map|filter|forEach|some|every|find|findIndex|reduce|join|sort|reverse',
  'flat|flatMap|fill|entries|values|keys',
].join('|');

export default [
  { ignores: ['**/dist/**', '**/node_modules/**'] },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { ecmaVersion: 2022, sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...js.configs.recommended.rules,
      'no-undef': 'off',
      'no-empty': ['error', { allowEmptyCatch: true }],
      'no-control-regex': 'off',
      complexity: ['error', 12],
      curly: ['error', 'multi-line'],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-depth': ['error', 4],
      'max-len': ['error', { code: 120 }],
      'max-lines': ['error', 300],
      'no-eval': 'error',
      'no-implicit-coercion': ['error', { boolean: false, number: false }],
      'no-implied-eval': 'error',
      'no-shadow': 'error',
      'no-unused-vars': ['error', { args: 'all', argsIgnorePattern: '^_' }],
      'no-var': 'error',
      'prefer-const': 'error',
      'prefer-template': 'error',
    },
  },
  {
    // What a page may have broken in Array.prototype is not called in the bundle.
    files: ['**/storefront/src/**/*.js'],
    rules: {
      'no-new-func': 'error',
      'no-restricted-globals': ['error', 'JSON', 'fetch', 'setTimeout', 'clearTimeout', 'localStorage'],
      'no-restricted-syntax': [
        'error',
        {
          selector: `CallExpression[callee.property.name=/^(${REDEFINABLE})$/]`,
          message: 'a page may have redefined it: see src/lists.js',
        },
      ],
    },
  },
];
