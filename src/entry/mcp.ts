/**
 * A tool server (MCP): operations of the service and local checks as tools for agents.
 *
 * @packageDocumentation
 */

export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { ToolDescription, ToolHints } from '../servers/mcp/tool.js';
export { type ConnectOptions, createToolServer, type ToolConnection, type ToolServer } from '../servers/mcp/tool-server.js';
export type { ToolClient, ToolServerOptions } from '../servers/mcp/tool-server-options.js';
