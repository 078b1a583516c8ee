import { openFromGate } from 'portcullis/extension';

openFromGate();
