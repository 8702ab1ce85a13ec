package io.github.gramian.bench.peer;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.Needs;
import io.github.gramian.check.Tool;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.Head;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Our head compared with heads in Python. */
@Tag("speed") // once, on one JDK
class PeerBenchmarkTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final PeerBenchmark TINY = new PeerBenchmark(12, 6, 30, 3, 2, false);

    private static Python.Installed installed() {
        return (Python.Installed) Python.find(Python.DEFAULTS);
    }

    @Test
    @Needs(Tool.TORCH)
    void every_peer_is_compared_with_ours() throws Exception {
        PeerBenchmark.Result result = TINY.run(installed());
        assertThat(result.skipped()).isNull();
        assertThat(result.peers()).extracting(PeerBenchmark.PeerResult::peer).containsExactly(Peer.values());
        assertThat(result.peers())
                .extracting(PeerBenchmark.PeerResult::descriptorLength)
                .containsExactly(21, 144, 78, 78);
        assertThat(result.peers()).allSatisfy(peer -> {
            assertThat(peer.timing().fastest()).isPositive();
            assertThat(peer.oursOverPeer())
                    .isCloseTo(result.ours().median() / peer.timing().median(), within(1e-12));
            assertThat(peer.torch()).isNotEmpty();
            assertThat(peer.blasThreads()).isIn(1, result.threads());
        });
    }

    /**
     * On whole numbers, whose squared distances are exact: otherwise rounding on the diagonal of a plain D (1e−16), of
     * which σ takes the root, sets the two 1e−8 apart; ours has zeros there.
     */
    @Test
    @Needs(Tool.TORCH)
    void the_same_head_in_python_computes_our_descriptors_and_gradients() throws Exception {
        try (Scope scope = Scope.open();
                PeerWorkspace workspace = PeerWorkspace.create();
                Head head = new Head(TINY.config(), DOUBLE, new Seed(1));
                PeerProcess peer = PeerProcess.start(installed(), Peer.KERNEL_SPD, workspace, 1, 1, null)) {
            Tensor M = new Seed(2)
                    .normal(DOUBLE, 3, 12, 30)
                    .mul_(scalar(4.0))
                    .round_()
                    .relu_();
            Tensor G = new Seed(3).normal(DOUBLE, 3, 21);
            Tensor W = head.parameters().get(0).value();
            peer.setUp(1, workspace.write("features", M), workspace.write("weight", W), workspace.write("gradient", G));
            peer.dump(workspace.folder());

            Pass pass = head.descriptor().forward(M, Phase.inference());
            Tensor gradient = pass.backward(G);
            assertThat(apart(pass.output(), read(workspace, "descriptors", TensorType.F64, 3, 21)))
                    .isLessThan(1e-11);
            assertThat(apart(gradient, read(workspace, "features-gradient", TensorType.F64, 3, 12, 30)))
                    .isLessThan(1e-11);
            assertThat(apart(
                            head.parameters().get(0).gradient(),
                            read(workspace, "weight-gradient", TensorType.F64, 12, 6)))
                    .isLessThan(1e-11);
        }
    }

    /** The two roots of the covariance have one limit, so that each confirms the other. */
    @Test
    @Needs(Tool.TORCH)
    void newton_schulz_and_eigh_agree_on_well_conditioned_covariances() throws Exception {
        Python.Installed here = installed();
        try (Scope scope = Scope.open();
                PeerWorkspace workspace = PeerWorkspace.create()) {
            // Few channels over many positions: eigenvalues within a factor of two, where five iterations suffice.
            Tensor M = new Seed(2).normal(FLOAT, 2, 4, 400);
            Tensor[] descriptors = new Tensor[2];
            Tensor[] gradients = new Tensor[2];
            List<Peer> roots = List.of(Peer.ISQRT_COV, Peer.MATRIX_SQRT);
            for (int i = 0; i < 2; i++) {
                try (PeerProcess peer = PeerProcess.start(here, roots.get(i), workspace, 1, 1, null)) {
                    PeerWorkspace.Values features = workspace.write("features", M);
                    assertThat(peer.setUp(1, features, features, null)).isEqualTo(10);
                    peer.dump(workspace.folder());
                }
                descriptors[i] = read(workspace, "descriptors", TensorType.F32, 2, 10);
                gradients[i] = read(workspace, "features-gradient", TensorType.F32, 2, 4, 400);
            }
            assertThat(apart(descriptors[0], descriptors[1])).isLessThan(1e-3);
            assertThat(apart(gradients[0], gradients[1])).isLessThan(1e-2);
        }
    }

    /** A tensor that a peer wrote. */
    private static Tensor read(PeerWorkspace workspace, String name, TensorType type, long... shape)
            throws IOException {
        try (FileChannel in = FileChannel.open(workspace.folder().resolve(name))) {
            return TensorBytes.read(in, 0, type, shape);
        }
    }

    private static double apart(Tensor a, Tensor b) {
        return a.sub(b).norm().item_double() / b.norm().item_double();
    }

    @Test
    void without_python_only_ours_is_measured_and_the_reason_is_given() throws Exception {
        Python none = Python.find(List.of("no-such-python"));
        PeerBenchmark.Result result = TINY.run(none);
        assertThat(result.peers()).isEmpty();
        assertThat(result.skipped()).contains("no-such-python", "apt install python3-torch");
        assertThat(result.ours().median()).isPositive();
    }

    @Test
    @Needs(Tool.TORCH)
    void a_peer_that_dies_reports_the_reason() throws Exception {
        try (Scope scope = Scope.open();
                PeerWorkspace workspace = PeerWorkspace.create();
                PeerProcess peer = PeerProcess.start(installed(), Peer.BCNN, workspace, 1, 1, null)) {
            PeerWorkspace.Values nothing = new PeerWorkspace.Values("no-such-file", "float32", List.of(1L, 2L, 3L));
            assertThatThrownBy(() -> peer.setUp(1, nothing, nothing, null))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("bcnn.py has ended")
                    .hasMessageContaining("no-such-file");
        }
    }

    @Test
    void a_closed_workspace_leaves_no_files() throws Exception {
        PeerWorkspace workspace = PeerWorkspace.create();
        assertThat(Arrays.stream(Peer.values()).map(workspace::script)).allMatch(Files::isRegularFile);
        workspace.close();
        assertThat(workspace.folder()).doesNotExist();
    }
}
