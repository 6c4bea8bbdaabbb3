// Spins in two functions, of which one calls the other.
function spinInner(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum = (sum * 31 + i) % 1000003;
    return sum;
}
function spinOuter(n) {
    let sum = 0;
    for (let i = 0; i < 200; i++) sum += spinInner(n);
    return sum;
}
let total = 0;
const end = Date.now() + 8000;
while (Date.now() < end) total += spinOuter(2000);
console.log(total > 0 ? 'done' : 'nothing');
