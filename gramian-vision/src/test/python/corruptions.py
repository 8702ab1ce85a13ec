"""Corruptions of ImageNet-C, written again with Pillow, NumPy and SciPy, against those of Gramian.

usage: corruptions.py DIRECTORY

DIRECTORY has N.rgb (clean images of 224x224) and NAME-SEVERITY-N-REPEAT.rgb (corrupted by Gramian). Deterministic corruptions may
differ by one grey level on average. Random ones must have the same distribution (Kolmogorov-Smirnov, p > 0.01): noise by all
values, glass blur by values far apart, since neighbours depend on each other, and all others by two numbers per image.
"""

import io
import pathlib
import sys

import numpy as np
from PIL import Image
from scipy import ndimage, stats

SIDE = 224
random = np.random.default_rng(7)


def per_channel(x, change):
    return np.stack([change(x[..., c]) for c in range(3)], axis=-1)


def gaussian_noise(x, s):
    return x + random.normal(0, [.08, .12, .18, .26, .38][s], x.shape)


def shot_noise(x, s):
    photons = [60, 25, 12, 5, 3][s]
    return random.poisson(x * photons) / photons


def impulse_noise(x, s):
    noisy = random.random(x.shape) < [.03, .06, .09, .17, .27][s]
    salt = random.random(x.shape) < .5
    return np.where(noisy, salt.astype(float), x)


def defocus_blur(x, s):
    radius, blur = [(3, .1), (4, .5), (6, .5), (8, .5), (10, .5)][s]
    half, taps = (8, 1) if radius <= 8 else (radius, 2)
    grid = np.arange(-half, half + 1)
    disk = (grid[:, None] ** 2 + grid[None] ** 2 <= radius ** 2).astype(float)
    disk /= disk.sum()
    bell = np.exp(-.5 * (np.arange(-taps, taps + 1) / blur) ** 2)
    bell /= bell.sum()
    kernel = ndimage.correlate(disk, np.outer(bell, bell), mode='mirror')
    return per_channel(x, lambda p: ndimage.correlate(p, kernel, mode='mirror'))


def glass_blur(x, s):
    sigma, reach, rounds = [(.7, 1, 2), (.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2)][s]
    y = np.uint8(ndimage.gaussian_filter(x, (sigma, sigma, 0), mode='nearest') * 255 + 1e-9)
    for _ in range(rounds):
        moves = random.integers(-reach, reach, (SIDE, SIDE, 2))
        for h in range(SIDE - reach, reach, -1):
            for w in range(SIDE - reach, reach, -1):
                dx, dy = moves[h - 1, w - 1]
                y[h, w] = y[h + dy, w + dx]
    return ndimage.gaussian_filter(y / 255., (sigma, sigma, 0), mode='nearest')


def along_line(p, radius, sigma, angle):
    length = 2 * radius + 1
    weights = np.exp(-np.arange(length) ** 2 / (2. * sigma ** 2))
    weights /= weights.sum()
    result = np.zeros_like(p)
    padded = np.pad(p, length, mode='edge')
    for i, weight in enumerate(weights):
        dx = int(np.ceil(i * np.cos(np.radians(angle)) - .5))
        dy = int(np.ceil(i * np.sin(np.radians(angle)) - .5))
        result += weight * padded[length + dy:length + dy + SIDE, length + dx:length + dx + SIDE]
    return result


def motion_blur(x, s):
    radius, sigma = [(10, 3), (15, 5), (15, 8), (15, 12), (20, 15)][s]
    angle = random.uniform(-45, 45)
    return per_channel(x, lambda p: along_line(p, radius, sigma, angle))


def clipped_zoom(p, factor):
    part = int(np.ceil(SIDE / factor))
    top = (SIDE - part) // 2
    large = ndimage.zoom(p[top:top + part, top:top + part], factor, order=1)
    trim = (large.shape[0] - SIDE) // 2
    return large[trim:trim + SIDE, trim:trim + SIDE]


def zoom_blur(x, s):
    end, step = [(1.11, .01), (1.16, .01), (1.21, .02), (1.26, .02), (1.31, .03)][s]
    factors = np.arange(1, end, step)
    return per_channel(x, lambda p: (p + sum(clipped_zoom(p, f) for f in factors)) / (len(factors) + 1))


def snow(x, s):
    mean, deviation, zoom, threshold, radius, sigma, own = [
        (.1, .3, 3, .5, 10, 4, .8), (.2, .3, 2, .5, 12, 4, .7), (.55, .3, 4, .9, 12, 8, .7),
        (.55, .3, 4.5, .85, 12, 8, .65), (.55, .3, 2.5, .85, 12, 12, .55)][s]
    layer = clipped_zoom(random.normal(mean, deviation, (SIDE, SIDE)), zoom)
    layer = np.where(layer < threshold, 0, layer)
    layer = (np.clip(layer, 0, 1) * 255).astype(np.uint8) / 255.
    layer = along_line(layer, radius, sigma, random.uniform(-135, -45))[..., None]
    grey = (x @ [.299, .587, .114])[..., None]
    white = own * x + (1 - own) * np.maximum(x, grey * 1.5 + .5)
    return white + layer + np.rot90(layer, 2)


def plasma(decay):
    size, wobble = 256, 100.
    field = np.zeros((size, size))
    step = size

    def wobbled(total):
        return total / 4 + wobble * random.uniform(-wobble, wobble, total.shape)

    while step >= 2:
        half = step // 2
        corners = field[::step, ::step]
        total = corners + np.roll(corners, -1, 0)
        field[half::step, half::step] = wobbled(total + np.roll(total, -1, 1))
        middles = field[half::step, half::step]
        corners = field[::step, ::step]
        field[::step, half::step] = wobbled(middles + np.roll(middles, 1, 0) + corners + np.roll(corners, -1, 1))
        field[half::step, ::step] = wobbled(middles + np.roll(middles, 1, 1) + corners + np.roll(corners, -1, 0))
        step = half
        wobble /= decay
    field -= field.min()
    return (field / field.max())[:SIDE, :SIDE]


def ice(x, s):
    image, layer = [(1, .4), (.8, .6), (.7, .7), (.65, .7), (.6, .75)][s]
    drawn = np.zeros((SIDE, SIDE))

    def line(start, angle, length):
        along = np.arange(0, length, .5)
        points = np.floor(start + along[:, None] * [np.cos(angle), np.sin(angle)]).astype(int)
        inside = ((points >= 0) & (points < SIDE)).all(1)
        columns, rows = points[inside].T
        np.maximum.at(drawn, (rows, columns), 1 - .6 * along[inside] / length)

    clouds = plasma(2)
    for _ in range(round(SIDE * SIDE / 1600)):
        centre = random.uniform(0, SIDE, 2)
        turn, arm = random.uniform(0, np.pi / 3), random.uniform(12, 48)
        for angle in turn + np.arange(6) * np.pi / 3:
            line(centre, angle, arm)
            for along in np.arange(6, arm, 6):
                start = centre + along * np.array([np.cos(angle), np.sin(angle)])
                for side in (angle + np.pi / 3, angle - np.pi / 3):
                    line(start, side, .4 * (arm - along))
    soft = np.minimum(1, 1.5 * ndimage.gaussian_filter(drawn, .7, mode='nearest'))
    pattern = np.minimum(1, .6 * clouds + .7 * soft)
    return image * x + layer * pattern[..., None] * [.85, .93, 1]


def fog(x, s):
    density, decay = [(1.5, 2), (2, 2), (2.5, 1.7), (2.5, 1.5), (3, 1.4)][s]
    return (x + density * plasma(decay)[..., None]) * x.max() / (x.max() + density)


def brightness(x, s):
    value = x.max(2)
    chroma = value - x.min(2)
    safe = np.where(chroma == 0, 1, chroma)
    r, g, b = np.moveaxis(x, 2, 0)
    hue = np.where(value == r, (g - b) / safe, np.where(value == g, 2 + (b - r) / safe, 4 + (r - g) / safe)) % 6
    saturation = chroma / np.where(value == 0, 1, value)
    value = np.clip(value + [.1, .2, .3, .4, .5][s], 0, 1)

    def channel(n):
        k = (n + hue) % 6
        return value - value * saturation * np.clip(np.minimum(k, 4 - k), 0, 1)

    return np.stack([channel(5), channel(3), channel(1)], axis=-1)


def contrast(x, s):
    means = x.mean((0, 1), keepdims=True)
    return (x - means) * [.4, .3, .2, .1, .05][s] + means


def elastic_transform(x, s):
    amplitude, sigma, affine = 244 * np.array(
        [(2, .7, .1), (2, .08, .2), (.05, .01, .02), (.07, .01, .02), (.12, .01, .02)][s])
    middle, reach = SIDE // 2, SIDE // 3
    before = np.array([(1, 1), (1, -1), (-1, -1)]) * reach + middle
    after = before + random.uniform(-affine, affine, (3, 2))
    back = np.linalg.solve(np.c_[after, np.ones(3)], before)
    rows, columns = np.mgrid[:SIDE, :SIDE].astype(float)
    source = np.stack([columns, rows, np.ones_like(rows)], -1) @ back
    right, down = (ndimage.gaussian_filter(random.uniform(-1, 1, (SIDE, SIDE)), sigma, mode='reflect', truncate=3)
                   * amplitude for _ in range(2))

    def change(p):
        moved = ndimage.map_coordinates(p, [source[..., 1], source[..., 0]], order=1, mode='mirror')
        return ndimage.map_coordinates(moved, [rows + down, columns + right], order=1, mode='reflect')

    return per_channel(x, change)


def through_pillow(x, change):
    return np.asarray(change(Image.fromarray(np.uint8(np.rint(x * 255)))).convert('RGB')) / 255.


def pixelate(x, s):
    small = int(SIDE * [.6, .5, .4, .3, .25][s])
    return through_pillow(x, lambda i: i.resize((small, small), Image.BOX).resize((SIDE, SIDE), Image.BOX))


def jpeg_compression(x, s):
    def written(image):
        file = io.BytesIO()
        image.save(file, 'JPEG', quality=[25, 18, 15, 10, 7][s])
        return Image.open(file)

    return through_pillow(x, written)


def about_centre(x, matrix):
    middle = (SIDE - 1) / 2
    offset = middle - matrix @ np.array([middle, middle])
    return per_channel(x, lambda p: ndimage.affine_transform(p, matrix, offset, order=1, mode='mirror'))


def rotation(x, s):
    angle = np.radians([5, 10, 20, 45, 90][s])
    return about_centre(x, np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]))


def scale_up(x, s):
    return about_centre(x, np.eye(2) / [1.1, 1.25, 1.5, 1.75, 2][s])


def scale_down(x, s):
    factor = [.9, .8, .7, .6, .5][s]
    sigma = .5 * np.sqrt(1 / factor ** 2 - 1)
    return about_centre(ndimage.gaussian_filter(x, (sigma, sigma, 0), mode='mirror'), np.eye(2) / factor)


DETERMINISTIC = [defocus_blur, zoom_blur, brightness, contrast, pixelate, jpeg_compression, rotation, scale_up, scale_down]
BY_PIXEL = {gaussian_noise: 1, shot_noise: 1, impulse_noise: 1, glass_blur: 301}  # and the step between compared values
BY_IMAGE = [motion_blur, snow, ice, fog, elastic_transform]


def read(path):
    return np.frombuffer(path.read_bytes(), np.uint8).reshape(SIDE, SIDE, 3) / 255.


def ours(change, clean, s):
    return np.rint(np.clip(change(clean, s), 0, 1) * 255) / 255.


def two_numbers(clean, corrupted):
    """How much an image differs, and the share of its vertical gradients."""
    rows, columns = (np.abs(np.diff(corrupted, axis=a)).mean() for a in (0, 1))
    return np.abs(corrupted - clean).mean(), rows / (rows + columns)


def main():
    directory = pathlib.Path(sys.argv[1])
    clean = [read(directory / f'{n}.rgb') for n in range(10)]
    bad = 0
    for change in DETERMINISTIC + list(BY_PIXEL) + BY_IMAGE:
        name = change.__name__
        for s in range(5):
            theirs = [(x, read(file)) for n, x in enumerate(clean)
                      for file in sorted(directory.glob(f'{name}-{s + 1}-{n}-*.rgb'))]
            pairs = [(x, y, ours(change, x, s)) for x, y in theirs]
            assert pairs, f'no images of {name}'
            if change in DETERMINISTIC:
                differences = [255 * np.abs(y - z).mean() for _, y, z in pairs]
                verdict, text = max(differences) <= 1, f'differs by {max(differences):.4f} grey levels at most'
            elif change in BY_PIXEL:
                step = BY_PIXEL[change]
                first, second = (np.concatenate([(pair[i] - pair[0]).ravel()[::step] for pair in pairs]) for i in (1, 2))
                p = stats.ks_2samp(first, second).pvalue
                verdict, text = p > .01, f'p = {p:.4f} of {len(first)} values'
            else:
                first, second = (np.array([two_numbers(pair[0], pair[i]) for pair in pairs]) for i in (1, 2))
                p = [stats.ks_2samp(first[:, i], second[:, i]).pvalue for i in (0, 1)]
                verdict, text = min(p) > .01, f'p = {p[0]:.4f} and {p[1]:.4f} of {len(first)} images'
            bad += not verdict
            print(f'{"ok " if verdict else "BAD"} {name} {s + 1}: {text}', flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
