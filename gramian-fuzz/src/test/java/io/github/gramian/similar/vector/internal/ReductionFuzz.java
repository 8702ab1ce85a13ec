package io.github.gramian.similar.vector.internal;

import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFuzz;
import java.util.List;

/** The principal components of an index, with right checksums. */
public final class ReductionFuzz {

    private ReductionFuzz() {}

    public static List<FuzzTarget> targets() {
        Scratch scratch = new Scratch();
        return List.of(new FuzzTarget(
                "index-reduction",
                () -> List.of(SafetensorsFuzz.file(
                        "{'components':{'dtype':'F32','shape':[2,3],'data_offsets':[0,24]},"
                                + "'mean':{'dtype':'F32','shape':[3],'data_offsets':[24,36]},"
                                + "'__metadata__':{'crc32c':'00000000','images':'8','wanted':'2'}}",
                        36)),
                bytes -> Reduction.read(scratch.file("r.safetensors", SafetensorsFuzz.sealed(bytes)))
                        .reduction()
                        .apply(new float[3]),
                List.of(SafetensorsException.class, IllegalArgumentException.class)));
    }
}
