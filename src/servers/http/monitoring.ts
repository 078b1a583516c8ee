import { wrongMethod } from '../../core/http/http-refusal.js';
import { privateHeaders, refusalResponse } from './refusal-response.js';

/** A state that a load balancer asks for. */
export interface Health {
  readonly isReady: boolean;
  readonly status: string;
}

/** 200 or 503, with the state as JSON. */
export function healthResponse({ isReady, ...shown }: Health): Response {
  return Response.json({ ready: isReady, ...shown }, { status: isReady ? 200 : 503, headers: privateHeaders });
}

/** Allows only GET and HEAD; the response to HEAD has no body. */
export async function readOnly({ method }: Request, make: () => Response | Promise<Response>): Promise<Response> {
  if (method !== 'GET' && method !== 'HEAD') {
    return refusalResponse(wrongMethod('GET', 'HEAD'));
  }
  const response = await make();
  return method === 'GET' ? response : new Response(null, response);
}
