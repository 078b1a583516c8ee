export { type AttackPattern, check } from 'recheck';
