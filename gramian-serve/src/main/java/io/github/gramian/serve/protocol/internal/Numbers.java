package io.github.gramian.serve.protocol.internal;

import java.util.Arrays;

/** Numbers as they come out of JSON: a growing array. It never has more than one for two bytes of the request. */
final class Numbers {

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
