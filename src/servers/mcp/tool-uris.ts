/** Addresses of resources. They name nothing on a network. */
export const scheme = 'portcullis:';

export const valueListUri = (name: string): string => `${scheme}//values/${name}`;
export const guideUri = (name: string): string => `${scheme}//guides/${name}`;
