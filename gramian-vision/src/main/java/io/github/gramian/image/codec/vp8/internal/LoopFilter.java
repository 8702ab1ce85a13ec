package io.github.gramian.image.codec.vp8.internal;

/** Smooths the edges between blocks, once all blocks are there: macroblock after macroblock, left edges before upper. */
final class LoopFilter {

    /**
     * How strongly a macroblock is smoothed.
     *
     * @param limit of the step across an edge that is still smoothed; 0 for no smoothing
     * @param interior limit of the steps beside it
     * @param highVariance the step beside an edge from which on only the samples next to it change
     * @param inner whether edges inside the macroblock are smoothed too
     */
    record Strength(int limit, int interior, int highVariance, boolean inner) {

        static Strength of(int level, int sharpness, boolean inner) {
            int clamped = Math.max(0, Math.min(63, level));
            if (clamped == 0) {
                return new Strength(0, 0, 0, inner);
            }
            int interior = clamped;
            if (sharpness > 0) {
                interior = Math.min(interior >> (sharpness > 4 ? 2 : 1), 9 - sharpness);
            }
            interior = Math.max(1, interior);
            int variance = clamped >= 40 ? 2 : clamped >= 15 ? 1 : 0;
            return new Strength(2 * clamped + interior, interior, variance, inner);
        }
    }

    private final boolean simple;
    private byte[] s = new byte[0];

    LoopFilter(boolean simple) {
        this.simple = simple;
    }

    /** Whether only luma is smoothed, and only next to the edges. */
    boolean isSimple() {
        return simple;
    }

    /** The edges of one macroblock of a plane; size is 16 for luma, 8 for chroma. */
    void apply(Plane plane, int at, int size, Strength strength, boolean hasLeft, boolean hasAbove) {
        s = plane.samples;
        edges(at, 1, plane.stride, size, strength, hasLeft);
        edges(at, plane.stride, 1, size, strength, hasAbove);
    }

    /** All edges in one direction: across is the step over an edge, along the step on it. */
    private void edges(int at, int across, int along, int size, Strength strength, boolean outer) {
        if (outer) {
            for (int i = 0; i < size; i++) {
                edge(at + i * along, across, strength.limit() + 4, strength, true);
            }
        }
        for (int inner = 4; strength.inner() && inner < size; inner += 4) {
            for (int i = 0; i < size; i++) {
                edge(at + inner * across + i * along, across, strength.limit(), strength, false);
            }
        }
    }

    /** One place of an edge: p is before it, q behind. */
    private void edge(int q, int step, int limit, Strength strength, boolean outer) {
        int p1 = get(q - 2 * step);
        int p0 = get(q - step);
        int q0 = get(q);
        int q1 = get(q + step);
        if (4 * Math.abs(p0 - q0) + Math.abs(p1 - q1) > 2 * limit + 1) {
            return;
        }
        if (simple) {
            nearest(q, step, p1, p0, q0, q1);
            return;
        }
        int p2 = get(q - 3 * step);
        int q2 = get(q + 2 * step);
        int interior = strength.interior();
        if (Math.abs(get(q - 4 * step) - p2) > interior
                || Math.abs(p2 - p1) > interior
                || Math.abs(p1 - p0) > interior
                || Math.abs(get(q + 3 * step) - q2) > interior
                || Math.abs(q2 - q1) > interior
                || Math.abs(q1 - q0) > interior) {
            return;
        }
        int variance = strength.highVariance();
        if (Math.abs(p1 - p0) > variance || Math.abs(q1 - q0) > variance) {
            nearest(q, step, p1, p0, q0, q1);
        } else if (outer) {
            int a = signed(3 * (q0 - p0) + signed(p1 - q1));
            int near = (27 * a + 63) >> 7;
            int middle = (18 * a + 63) >> 7;
            int far = (9 * a + 63) >> 7;
            set(q - 3 * step, p2 + far);
            set(q - 2 * step, p1 + middle);
            set(q - step, p0 + near);
            set(q, q0 - near);
            set(q + step, q1 - middle);
            set(q + 2 * step, q2 - far);
        } else {
            int a = 3 * (q0 - p0);
            int behind = small((a + 4) >> 3);
            int before = small((a + 3) >> 3);
            int far = (behind + 1) >> 1;
            set(q - 2 * step, p1 + far);
            set(q - step, p0 + before);
            set(q, q0 - behind);
            set(q + step, q1 - far);
        }
    }

    private void nearest(int q, int step, int p1, int p0, int q0, int q1) {
        int a = 3 * (q0 - p0) + signed(p1 - q1);
        set(q - step, p0 + small((a + 3) >> 3));
        set(q, q0 - small((a + 4) >> 3));
    }

    private int get(int index) {
        return s[index] & 0xFF;
    }

    private void set(int index, int value) {
        s[index] = (byte) Math.max(0, Math.min(255, value));
    }

    private static int signed(int value) {
        return Math.max(-128, Math.min(127, value));
    }

    private static int small(int value) {
        return Math.max(-16, Math.min(15, value));
    }
}
