package io.github.gramian.spark.ml;

import org.apache.spark.ml.Transformer;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.jspecify.annotations.Nullable;

/** The parameters of a stage for the novelty of images and for sets of classes. */
abstract class CertaintyParams extends Transformer {

    private static final long serialVersionUID = 1;

    private final String uid;
    private final Param<String> noveltyCol;
    private final Param<String> setCol;
    private final DoubleParam coverage;

    @SuppressWarnings("this-escape") // a Param refers to its owner
    CertaintyParams(String uid) {
        this.uid = uid;
        this.noveltyCol =
                new Param<>(this, "noveltyCol", "column for the novelty of the image, as a p-value; empty for none");
        this.setCol = new Param<>(this, "setCol", "column for the set of classes, if a coverage is set");
        this.coverage = new DoubleParam(
                this, "coverage", "coverage of sets of classes", ParamValidators.inRange(0, 1, false, false));
        setDefault(noveltyCol, "");
        setDefault(setCol, "set");
    }

    @Override
    public String uid() {
        return uid;
    }

    public Param<String> noveltyCol() {
        return noveltyCol;
    }

    public Param<String> setCol() {
        return setCol;
    }

    public DoubleParam coverage() {
        return coverage;
    }

    /** The column for the novelty of images; none unless set. The model must have a reference of its training images. */
    public GramianTransformer setNoveltyCol(String name) {
        set(noveltyCol, name);
        return (GramianTransformer) this;
    }

    /** The column for sets of classes; {@code set} unless set. */
    public GramianTransformer setSetCol(String name) {
        set(setCol, name);
        return (GramianTransformer) this;
    }

    /** Adds sets of classes that hold the true class for this share of images. The model must have calibration scores. */
    public GramianTransformer setCoverage(double share) {
        set("coverage", share);
        return (GramianTransformer) this;
    }

    /** The names of the columns, with none for the set if there is no coverage. */
    final CertaintyColumns certainty() {
        @Nullable Double level = isDefined(coverage) ? (Double) getOrDefault((Param<?>) coverage) : null;
        return new CertaintyColumns(getOrDefault(noveltyCol), level == null ? "" : getOrDefault(setCol), level);
    }
}
