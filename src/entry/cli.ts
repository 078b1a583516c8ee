#!/usr/bin/env node
import { runProcess } from '../cli/process.js';

void runProcess();
