#!/usr/bin/env node
import { runProcess } from './process.js';

void runProcess();
