/** The colors of every picture that a script makes. A page shows the picture of its color scheme. */
export const pictureSchemes = {
  light: {
    background: '#fbfaf7',
    frame: '#d9d5cc',
    box: '#ffffff',
    text: '#26231e',
    faint: '#5c574e',
    accent: '#0f5f5c',
    blocked: '#a32020',
    clear: '#1d6b33',
    unsure: '#7a5200',
  },
  dark: {
    background: '#15181a',
    frame: '#363c40',
    box: '#1d2124',
    text: '#e4e2dc',
    faint: '#a9a69e',
    accent: '#6cc4bf',
    blocked: '#ff8f8a',
    clear: '#7fd39a',
    unsure: '#f0c36a',
  },
} as const;

export type PictureScheme = keyof typeof pictureSchemes;

export const escapedText = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
