package io.github.gramian.fuzz;

import io.github.gramian.backbone.weights.internal.WeightsFuzz;
import io.github.gramian.dataset.layout.internal.ListsFuzz;
import io.github.gramian.feature.internal.CacheFuzz;
import io.github.gramian.image.codec.ImageFuzz;
import io.github.gramian.io.internal.TarFuzz;
import io.github.gramian.model.ModelFuzz;
import io.github.gramian.run.internal.RunFilesFuzz;
import io.github.gramian.search.internal.YamlFuzz;
import io.github.gramian.serve.RequestsFuzz;
import io.github.gramian.similar.index.internal.ManifestFuzz;
import io.github.gramian.similar.vector.internal.ReductionFuzz;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFuzz;
import io.github.gramian.train.stage.internal.CheckpointFuzz;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All targets. They stand in the packages of their readers, most of which nobody else can see. */
final class FuzzTargets {

    private static final List<Supplier<List<FuzzTarget>>> GROUPS = List.of(
            ImageFuzz::targets,
            TarFuzz::targets,
            SafetensorsFuzz::targets,
            WeightsFuzz::targets,
            ModelFuzz::targets,
            CheckpointFuzz::targets,
            CacheFuzz::targets,
            YamlFuzz::targets,
            ListsFuzz::targets,
            RunFilesFuzz::targets,
            RequestsFuzz::targets,
            ReductionFuzz::targets,
            ManifestFuzz::targets);

    private FuzzTargets() {}

    static Stream<FuzzTarget> all() {
        return GROUPS.stream().flatMap(group -> group.get().stream());
    }

    static FuzzTarget named(String name) {
        return all().filter(target -> target.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no target '" + name + "'; there are "
                        + all().map(FuzzTarget::name).toList()));
    }
}
