package io.github.gramian.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SeedTest {

    private final Scope scope = Scope.open();

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void a_seed_always_means_the_same_values() {
        Placement placement = Placement.cpu(Precision.DOUBLE);
        Tensor first = new Seed(7).normal(placement, 5, 4);
        Tensor second = new Seed(7).normal(placement, 5, 4);
        assertThat(first.equal(second)).isTrue();
    }

    @Test
    void float_values_are_the_double_ones_rounded() {
        Tensor wide = new Seed(7).uniform(Placement.cpu(Precision.DOUBLE), 100);
        Tensor narrow = new Seed(7).uniform(Placement.cpu(Precision.FLOAT), 100);
        assertThat(Placement.cpu(Precision.FLOAT).place(wide).equal(narrow)).isTrue();
    }

    @Test
    void streams_are_the_same_in_every_version() {
        Seed seed = new Seed(7).child("dropout").child(3);
        assertThat(seed.value()).isEqualTo(7228208268580694483L);
        assertThat(seed.random().nextLong()).isEqualTo(7247258281400018341L);
    }

    @Test
    void children_differ_from_each_other_and_from_their_parent() {
        Set<Long> values = new HashSet<>();
        for (long parent = 0; parent < 50; parent++) {
            Seed seed = new Seed(parent);
            values.add(seed.value());
            values.add(seed.child("ab").value());
            values.add(seed.child("ba").value());
            for (int index = 0; index < 50; index++) {
                values.add(seed.child(index).value());
            }
        }
        assertThat(values).hasSize(50 * 53);
    }
}
