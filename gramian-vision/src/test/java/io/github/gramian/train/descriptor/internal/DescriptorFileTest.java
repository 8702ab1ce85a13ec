package io.github.gramian.train.descriptor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class DescriptorFileTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private long files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.count();
        }
    }

    @Test
    void rows_come_back_bit_for_bit_and_are_computed_once() {
        Tensor X = new Seed(1).normal(FLOAT, 600, 13);
        TensorRows rows = new TensorRows(X);
        try (DescriptorFile file = DescriptorFile.of(rows, folder)) {
            assertThat(rows.asked()).isEqualTo(600);
            assertThat(file.count()).isEqualTo(600);
            assertThat(file.length()).isEqualTo(13);
            assertThat(HostCopy.floats(file.rows(0, 600))).isEqualTo(HostCopy.floats(X));
            Tensor buffer = torch.zeros(new long[] {50, 13}, FLOAT.options());
            assertThat(HostCopy.floats(file.rows(255, 301, buffer))).isEqualTo(HostCopy.floats(X.narrow(0, 255, 46)));
            Tensor across = file.then(new TensorRows(X)).rows(590, 610, buffer);
            assertThat(HostCopy.floats(across.narrow(0, 10, 10))).isEqualTo(HostCopy.floats(X.narrow(0, 0, 10)));
            assertThat(rows.asked()).isEqualTo(600);
        }
    }

    /** So that no file remains, however the process ends. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void the_file_has_no_name_while_it_is_used() throws IOException {
        DescriptorFile file = DescriptorFile.of(new TensorRows(new Seed(1).normal(FLOAT, 3, 2)), folder);
        assertThat(files()).isZero();
        assertThat(file.rows(2, 3).size(1)).isEqualTo(2);
        file.close();
        assertThat(files()).isZero();
    }

    @Test
    void a_source_that_fails_leaves_no_file() throws IOException {
        Descriptors broken = new Descriptors() {
            @Override
            public long count() {
                return 3;
            }

            @Override
            public long length() {
                return 2;
            }

            @Override
            public Tensor rows(long from, long to) {
                return torch.zeros(new long[] {to - from, 1}, FLOAT.options());
            }
        };
        assertThatThrownBy(() -> DescriptorFile.of(broken, folder)).hasMessageContaining("2 dimensions");
        assertThat(files()).isZero();
    }

    @Test
    void a_disk_that_is_too_small_is_refused_before_anything_is_written() {
        assertThatThrownBy(() -> DescriptorFile.requireDiskSpace(folder, 1e18))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1000000000000 MB")
                .hasMessageContaining("refit=never");
    }
}
