package io.github.gramian.serve.protocol.internal;

import java.util.Arrays;

/** Values parsed from JSON: a growing array. It never has more than one value per two bytes of the request. */
final class FloatValues {

    private float[] values = new float[1024];
    private int count;

    void add(float value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, values.length + (values.length >> 1));
        }
        values[count++] = value;
    }

    int count() {
        return count;
    }

    float get(int place) {
        return values[place];
    }
}
