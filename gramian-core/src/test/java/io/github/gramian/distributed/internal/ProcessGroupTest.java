package io.github.gramian.distributed.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.Ranks;
import io.github.gramian.distributed.Rendezvous;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessGroupTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /**
     * Small ones, one too large to be joined with others, one of another type, one without values, one scalar, a small and a
     * large one in channels-last layout.
     */
    private static List<Tensor> tensors(long seed) {
        return List.of(
                new Seed(seed).child(1).normal(FLOAT, 3, 5),
                new Seed(seed).child(2).normal(FLOAT, 1 << 18),
                new Seed(seed).child(3).normal(DOUBLE, 7),
                new Seed(seed).child(4).normal(DOUBLE, 0),
                new Seed(seed).child(5).normal(DOUBLE, 2, 2),
                new Seed(seed).child(6).normal(FLOAT, 1).squeeze(),
                new Seed(seed).child(7).normal(FLOAT, 4, 3, 2, 2).contiguous(MemoryFormat.ChannelsLast),
                new Seed(seed).child(8).normal(FLOAT, 2, 1 << 9, 16, 16).contiguous(MemoryFormat.ChannelsLast));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sums_are_those_of_all_processes_and_the_same_bits_in_each(int size) throws Exception {
        List<List<float[]>> found = Ranks.run(size, distributed -> {
            try (Scope scope = Scope.open();
                    ProcessGroup group = ProcessGroup.join(distributed, "cpu")) {
                List<Tensor> own = tensors(distributed.rank());
                group.sum(own).await();
                assertThat(group.secondsWaited()).isPositive();
                return own.stream().map(HostCopy::floats).toList();
            }
        });
        try (Scope scope = Scope.open()) {
            for (int i = 0; i < found.get(0).size(); i++) {
                Tensor sum = tensors(0).get(i).clone();
                for (int rank = 1; rank < size; rank++) {
                    sum.add_(tensors(rank).get(i));
                }
                float[] expected = HostCopy.floats(sum);
                for (List<float[]> one : found) {
                    assertThat(Arrays.equals(one.get(i), found.get(0).get(i))).isTrue();
                    assertThat(largestDifference(one.get(i), expected)).isLessThan(1e-5);
                }
            }
        }
    }

    private static double largestDifference(float[] a, float[] b) {
        assertThat(a).hasSameSizeAs(b);
        double largest = 0;
        for (int i = 0; i < a.length; i++) {
            largest = Math.max(largest, Math.abs(a[i] - b[i]));
        }
        return largest;
    }

    @Test
    void the_first_process_broadcasts_tensors_bytes_and_values() throws Exception {
        List<String> results = Ranks.run(3, distributed -> {
            try (Scope scope = Scope.open();
                    ProcessGroup group = ProcessGroup.join(distributed, "cpu")) {
                Tensor number = torch.full(new long[] {2}, scalar(distributed.rank() + 4.0), DOUBLE.options());
                group.broadcast(List.of(number));
                byte[] sent = group.broadcast(("sent by " + distributed.rank()).getBytes(StandardCharsets.UTF_8));
                byte[] nothing = group.broadcast(new byte[distributed.rank()]);
                boolean first = group.asFirst(distributed.rank() == 0);
                boolean other = group.asFirst(distributed.rank() == 1);
                boolean any = group.any(distributed.rank() == 1);
                double[] all = group.gather(distributed.rank() * 0.5);
                group.meet();
                return number.sum().item_double() + " " + new String(sent, StandardCharsets.UTF_8) + " "
                        + nothing.length + " " + first + " " + other + " " + any + " "
                        + List.of(all[0], all[1], all[2]);
            }
        });
        assertThat(results).containsOnly("8.0 sent by 0 0 true false true [0.0, 0.5, 1.0]");
    }

    /** Handles that outlived the group they came from have corrupted native memory. */
    @Test
    void a_scope_may_end_after_the_group_whose_exchanges_began_in_it() throws Exception {
        for (int round = 0; round < 6; round++) {
            List<Double> sums = Ranks.run(3, distributed -> {
                try (Scope scope = Scope.open()) {
                    Tensor last = torch.zeros(new long[] {1}, DOUBLE.options());
                    try (ProcessGroup group = ProcessGroup.join(distributed, "cpu")) {
                        for (int i = 0; i < 20; i++) {
                            last = torch.ones(new long[] {1 << 18}, DOUBLE.options());
                            group.sum(List.of(last)).await();
                        }
                    }
                    return last.mean().item_double();
                }
            });
            assertThat(sums).containsOnly(3.0);
        }
    }

    @Test
    void a_process_that_leaves_is_noticed_at_once() throws Exception {
        long start = System.nanoTime();
        List<Future<String>> ends = Ranks.settle(2, distributed -> {
            try (ProcessGroup group = ProcessGroup.join(distributed, "cpu")) {
                if (distributed.rank() == 1) {
                    return "left";
                }
                group.meet();
                return "met";
            }
        });
        assertThat(ends.get(1).get()).isEqualTo("left");
        assertThatThrownBy(() -> ends.get(0).get())
                .cause()
                .isInstanceOf(ProcessLostException.class)
                .hasMessageContainingAll("process 0 of 2 has lost another one", "start all of them again")
                .hasMessageNotContaining("\n")
                .hasMessageNotContaining(".cc");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
    }

    /** The listening sockets of this process, by address and port in hexadecimal digits. */
    private static Set<String> listening() throws IOException {
        Set<String> own = new HashSet<>();
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path one : open) {
                try {
                    own.add(Files.readSymbolicLink(one).toString());
                } catch (NoSuchFileException e) {
                    // that of this very listing
                }
            }
        }
        Set<String> found = new HashSet<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (String line : Files.exists(Path.of(table)) ? Files.readAllLines(Path.of(table)) : List.<String>of()) {
                String[] columns = line.strip().split(" +", -1);
                if (columns[3].equals("0A") && own.contains("socket:[" + columns[9] + "]")) {
                    found.add(columns[1]);
                }
            }
        }
        return found;
    }

    @Test
    @EnabledOnOs(OS.LINUX) // which reports the sockets that listen
    void processes_that_meet_in_a_file_listen_only_on_loopback(@TempDir Path folder) throws Exception {
        Set<String> before = listening();
        String store = Rendezvous.FILE + folder.resolve("store").toAbsolutePath();
        List<Set<String>> opened = Ranks.run(2, distributed -> {
            DistributedConfig here = DistributedConfig.at(store, distributed.rank(), distributed.size())
                    .waiting(distributed.timeout());
            try (ProcessGroup group = ProcessGroup.join(here, "cpu")) {
                assertThat(group.sum(1.0)).containsExactly(2.0);
                Set<String> now = listening();
                now.removeAll(before);
                group.meet();
                return now;
            }
        });
        assertThat(opened.get(0)).isNotEmpty();
        assertThat(opened.get(0)).allMatch(address -> address.startsWith("0100007F:"));
    }

    @Test
    void what_a_process_does_by_itself_may_take_longer_than_the_timeout() throws Exception {
        List<String> messages = Ranks.run(3, distributed -> {
            DistributedConfig impatient = distributed.waiting(Duration.ofSeconds(1));
            try (ProcessGroup group = ProcessGroup.join(impatient, "cpu")) {
                String own = group.independently(() -> {
                    sleep(distributed.rank() == 0 ? 3000 : 0);
                    return "rank " + distributed.rank();
                });
                group.meet();
                return own;
            }
        });
        assertThat(messages).containsExactly("rank 0", "rank 1", "rank 2");
    }

    @Test
    void a_process_that_fails_while_others_wait_is_noticed_at_once() throws Exception {
        long start = System.nanoTime();
        List<Future<String>> ends = Ranks.settle(2, distributed -> {
            try (ProcessGroup group = ProcessGroup.join(distributed, "cpu")) {
                return group.independently(() -> {
                    if (distributed.leads()) {
                        sleep(1500);
                        throw new IOException("disk full");
                    }
                    return "done";
                });
            }
        });
        assertThatThrownBy(() -> ends.get(0).get()).hasRootCauseMessage("disk full");
        assertThatThrownBy(() -> ends.get(1).get()).cause().isInstanceOf(ProcessLostException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_process_that_never_joins_is_reported() throws Exception {
        DistributedConfig lonely = DistributedConfig.at("127.0.0.1:" + DistributedConfig.freePort(), 0, 2)
                .waiting(Duration.ofSeconds(1));
        assertThatThrownBy(() -> ProcessGroup.join(lonely, "cpu"))
                .isInstanceOf(ProcessLostException.class)
                .hasMessageContainingAll("could not meet", "did all 2 processes start?");
    }

    @Test
    void a_first_process_that_never_joins_is_reported() throws Exception {
        DistributedConfig early = DistributedConfig.at("127.0.0.1:" + DistributedConfig.freePort(), 1, 2)
                .waiting(Duration.ofSeconds(1));
        assertThatThrownBy(() -> ProcessGroup.join(early, "cpu"))
                .isInstanceOf(ProcessLostException.class)
                .hasMessageContainingAll("could not meet", "is rank 0 running there");
        DistributedConfig nowhere =
                DistributedConfig.at("no-such-machine.invalid:1", 1, 2).waiting(Duration.ofSeconds(1));
        assertThatThrownBy(() -> ProcessGroup.join(nowhere, "cpu")).isInstanceOf(ProcessLostException.class);
    }

    @Test
    void other_devices_are_refused_with_what_to_do() {
        assertThatThrownBy(() -> ProcessGroup.join(DistributedConfig.at("here:1", 0, 2), "cuda"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("CPUs only", "backbone.device=cpu");
    }

    @Test
    void a_single_process_exchanges_nothing() {
        try (Scope scope = Scope.open();
                ProcessGroup single = ProcessGroup.join(DistributedConfig.singleProcess(), "cuda")) {
            Tensor own = new Seed(1).normal(FLOAT, 4);
            float[] before = HostCopy.floats(own);
            single.sum(List.of(own)).await();
            single.broadcast(List.of(own));
            single.meet();
            assertThat(HostCopy.floats(own)).isEqualTo(before);
            assertThat(single.sum(1, 2)).containsExactly(1, 2);
            assertThat(single.gather(3)).containsExactly(3);
            assertThat(single.any(false)).isFalse();
            assertThat(single.asFirst(true)).isTrue();
            assertThat(single.broadcast(new byte[] {5})).containsExactly(5);
            assertThat(single.secondsWaited()).isZero();
        }
    }

    @Test
    void tensors_with_gaps_are_refused() {
        try (Scope scope = Scope.open()) {
            Tensor gaps = new Seed(1).normal(FLOAT, 3, 4).narrow(1, 0, 2);
            assertThatThrownBy(() -> GlooProcessGroup.Bucket.of(List.of(gaps))).hasMessageContaining("contiguous()");
        }
    }
}
