package io.github.gramian.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.check.FullForm;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The short form of fuzzing: valid files, old findings, and a few changes of each, without a fuzzer. */
class FuzzTargetsTest {

    private static final int CHANGES = FullForm.rounds(20_000, 40);

    static Stream<String> names() {
        return FuzzTargets.all().map(FuzzTarget::name);
    }

    @ParameterizedTest
    @MethodSource("names")
    void valid_files_are_accepted_and_changed_ones_accepted_or_refused(String name) throws Exception {
        FuzzTarget target = FuzzTargets.named(name);
        Watch watch = new Watch(target);
        int refused = 0;
        for (byte[] seed : target.seeds().make()) {
            assertThat(watch.read(seed)).as("a valid file of %s", name).isTrue();
            for (int i = 0; i < CHANGES; i++) {
                byte[] changed = changed(seed, new SplittableRandom(i));
                try {
                    refused += watch.read(changed) ? 0 : 1;
                } catch (Exception | Error e) {
                    throw new AssertionError(
                            "change " + i + ": " + HexFormat.of().formatHex(changed), e);
                }
            }
        }
        assertThat(refused)
                .as("refusals of %s: a target that refuses nothing tests nothing", name)
                .isPositive();
    }

    @ParameterizedTest
    @MethodSource("names")
    void what_once_was_a_finding_is_none_any_more(String name) throws Exception {
        Watch watch = new Watch(FuzzTargets.named(name));
        for (byte[] known : KnownInputs.of(name)) {
            assertThatCode(() -> watch.read(known)).doesNotThrowAnyException();
        }
    }

    @Test
    void what_no_documentation_names_is_a_finding() {
        FuzzTarget target = FuzzTarget.of("x", List::of, bytes -> Integer.parseInt("x"), IllegalStateException.class);
        assertThatThrownBy(() -> new Watch(target).read(new byte[0])).isInstanceOf(NumberFormatException.class);
        FuzzTarget silent = FuzzTarget.of(
                "x",
                List::of,
                bytes -> {
                    throw new IllegalStateException();
                },
                IllegalStateException.class);
        assertThatThrownBy(() -> new Watch(silent).read(new byte[0])).isInstanceOf(FindingException.class);
    }

    @Test
    void too_much_time_or_memory_is_a_finding() {
        Duration most = Duration.ofMillis(100);
        FuzzTarget slow = FuzzTarget.of(
                "x",
                List::of,
                bytes -> {
                    long start = cpuTime();
                    while (cpuTime() - start < most.toNanos() + 1) {
                        Thread.onSpinWait();
                    }
                },
                IllegalStateException.class);
        assertThatThrownBy(() -> new Watch(slow, most).read(new byte[0])).hasMessageContaining("0 bytes took 1");
        FuzzTarget large = FuzzTarget.of("x", List::of, bytes -> allocateTooMuch(), IllegalStateException.class);
        assertThatThrownBy(() -> new Watch(large).read(new byte[0])).hasMessageContaining("520 MiB");
    }

    @Test
    void what_the_first_reader_loads_for_all_is_not_a_finding() throws Exception {
        AtomicBoolean loaded = new AtomicBoolean();
        FuzzTarget target = FuzzTarget.of(
                "x",
                List::of,
                bytes -> {
                    if (!loaded.getAndSet(true)) {
                        allocateTooMuch();
                    }
                },
                IllegalStateException.class);
        assertThat(new Watch(target).read(new byte[0])).isTrue();
    }

    private static void allocateTooMuch() {
        for (int i = 0; i < 65; i++) {
            assertThat(new byte[8 << 20]).isNotEmpty();
        }
    }

    private static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Flips, telling values, cuts and repetitions. */
    private static byte[] changed(byte[] seed, SplittableRandom random) {
        byte[] changed = seed.clone();
        for (int change = random.nextInt(4); change >= 0 && changed.length > 0; change--) {
            int at = random.nextInt(random.nextBoolean() ? changed.length : Math.min(changed.length, 256));
            switch (random.nextInt(5)) {
                case 0 -> changed[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> changed[at] = (byte) "\0\1\u007f0-9\"'[{:,\n ".charAt(random.nextInt(14));
                case 2 -> changed = Arrays.copyOf(changed, at);
                case 3 -> System.arraycopy(seed, 0, changed, at, Math.min(seed.length, changed.length - at) / 2);
                default -> changed[at] = (byte) random.nextInt(256);
            }
        }
        return changed;
    }
}
