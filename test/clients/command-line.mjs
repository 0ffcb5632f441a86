/** Clients that are programs. Each call starts the program, and with `stdio` a server too. */
import { execFile } from 'node:child_process';

/** Runs a program of this folder's packages, and returns the JSON that it prints, whatever its exit code. */
export function runProgram(file, args) {
  const path = new URL(`node_modules/${file}`, import.meta.url).pathname;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [path, ...args], { maxBuffer: 16 * 2 ** 20 }, (_, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`${file} ${args.join(' ')}: ${stdout}${stderr}`));
      }
    });
  });
}
