package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.Variant;
import java.util.Set;

/** Names of a vision transformer's weights: DINOv2's are ours; timm's differ where there are registers. */
public final class TransformerNames {

    /** What DINOv2 puts in the place of patches while it is trained; nothing else needs it. */
    public static final String MASK = "mask_token";

    private static final String TIMM_REGISTERS = "reg_token";

    private TransformerNames() {}

    /** The meaning of a name. An unknown name is returned unchanged, so that the check reports it. */
    static ForeignName torch(String name) {
        return switch (name) {
            case TIMM_REGISTERS -> new ForeignName("register_tokens", Layout.SAME);
            case "pos_embed" -> new ForeignName(name, Layout.POSITIONS);
            default -> new ForeignName(name, Layout.SAME);
        };
    }

    /** Which variant a file is of: registers are recognised by name; without any, timm's files lack the original's mask token. */
    public static Variant variant(Set<String> names) {
        if (names.contains(TIMM_REGISTERS) || names.contains("register_tokens")) {
            return Variant.DINOV2_REGISTERS;
        }
        return names.contains(MASK) ? Variant.DINOV2 : Variant.TIMM;
    }
}
