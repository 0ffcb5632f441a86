/** Licenses of code that comes without their text. Copyright lines are from the packages' own repositories. */

export interface LicenseByHand {
  /** Of the npm package. */
  readonly name: string;
  /** Its SPDX name. */
  readonly license: keyof typeof texts;
  readonly copyright: readonly string[];
  /** Why the text is not beside the code. */
  readonly reason: string;
}

const inSdk = 'the MCP SDK is published with this code in its own files, and with no license but its own';
const inUndici = 'undici has taken over some of its code, and names it in a comment only';

export const licensesByHand: readonly LicenseByHand[] = [
  {
    name: '@cfworker/json-schema',
    license: 'MIT',
    copyright: ['Copyright (c) 2020 Jeremy Danyow'],
    reason: inSdk,
  },
  {
    name: 'ajv',
    license: 'MIT',
    copyright: ['Copyright (c) 2015-2021 Evgeny Poberezkin'],
    reason: inSdk,
  },
  {
    name: 'ajv-formats',
    license: 'MIT',
    copyright: ['Copyright (c) 2020 Evgeny Poberezkin'],
    reason: inSdk,
  },
  {
    name: 'content-type',
    license: 'MIT',
    copyright: ['Copyright (c) 2015 Douglas Christopher Wilson'],
    reason: inSdk,
  },
  {
    name: 'fast-deep-equal',
    license: 'MIT',
    copyright: ['Copyright (c) 2017 Evgeny Poberezkin'],
    reason: inSdk,
  },
  {
    name: 'fast-uri',
    license: 'BSD-3-Clause',
    copyright: [
      'Copyright (c) 2011-2021, Gary Court until https://github.com/garycourt/uri-js/commit/a1acf730b4bba3f1097c9f52e7d9d3aba8cdcaae',
      'Copyright (c) 2021-present The Fastify team <https://github.com/fastify/fastify#team>',
    ],
    reason: inSdk,
  },
  {
    name: 'formdata-polyfill',
    license: 'MIT',
    copyright: ['Copyright (c) 2016 Jimmy Karl Roland Wärting'],
    reason: inUndici,
  },
  {
    name: 'json-schema-traverse',
    license: 'MIT',
    copyright: ['Copyright (c) 2017 Evgeny Poberezkin'],
    reason: inSdk,
  },
  {
    name: 'koa-compose',
    license: 'MIT',
    copyright: ['Copyright (c) 2013 TJ Holowaychuk tj@apex.sh'],
    reason: 'its package lacks the file that its repository has',
  },
  {
    name: 'llhttp',
    license: 'MIT',
    copyright: ['Copyright Fedor Indutny, 2018.'],
    reason: 'undici contains it as WebAssembly',
  },
  {
    name: 'standardwebhooks',
    license: 'MIT',
    copyright: ['Copyright (c) Standard Webhooks'],
    reason: 'its package lacks the file; the owner is the author that it names',
  },
  {
    name: 'ws',
    license: 'MIT',
    copyright: [
      'Copyright (c) 2011 Einar Otto Stangvik <einaros@gmail.com>',
      'Copyright (c) 2013 Arnout Kazemier and contributors',
      'Copyright (c) 2016 Luigi Pinca and contributors',
    ],
    reason: inUndici,
  },
];

const texts = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`,
  'BSD-3-Clause': `Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this
   list of conditions and the following disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice,
   this list of conditions and the following disclaimer in the documentation
   and/or other materials provided with the distribution.

3. Neither the name of the copyright holder nor the names of its contributors
   may be used to endorse or promote products derived from this software
   without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`,
};

export const licenseText = ({ license, copyright }: LicenseByHand) =>
  `${copyright.join('\n')}\n\n${texts[license]}`;
