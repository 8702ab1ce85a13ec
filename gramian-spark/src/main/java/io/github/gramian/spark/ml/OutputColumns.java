package io.github.gramian.spark.ml;

import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.ModelDescription;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Names of the columns that a stage reads and adds; an empty one is not added.
 *
 * @param coverage of the sets of classes; null if there are no sets
 */
record OutputColumns(
        String input,
        String prediction,
        String probability,
        String descriptor,
        String novelty,
        String set,
        @Nullable Double coverage,
        String error)
        implements Serializable {

    OutputColumns {
        set = coverage == null ? "" : set;
        if (prediction.isEmpty()
                && probability.isEmpty()
                && descriptor.isEmpty()
                && novelty.isEmpty()
                && set.isEmpty()) {
            throw new IllegalArgumentException("nothing to do: name at least one of predictionCol, probabilityCol,"
                    + " descriptorCol and noveltyCol, or set a coverage");
        }
    }

    /**
     * Refuses a model that cannot fill them.
     *
     * @param defects whether the model knows good parts only
     */
    void require(ModelCertainty model, boolean defects) {
        if (!novelty.isEmpty() && !defects) {
            model.requireNovelty();
        }
        if (!set.isEmpty()) {
            model.requireSets();
        }
    }

    /** The schema with our columns after it, if it has the images and our names are free. */
    StructType checked(StructType schema, ModelDescription model, boolean defects) {
        List<String> present = Arrays.asList(schema.fieldNames());
        if (!present.contains(input)) {
            throw new IllegalArgumentException(
                    "there is no column '" + input + "' with images but " + present + "; set inputCol to one of them");
        }
        StructField images = schema.fields()[schema.fieldIndex(input)];
        if (!images.dataType().equals(DataTypes.BinaryType)) {
            throw new IllegalArgumentException(
                    "the column '" + input + "' must hold the bytes of image files (binary) but is "
                            + images.dataType().simpleString() + "; read files with format(\"binaryFile\")");
        }
        List<StructField> all = new ArrayList<>(Arrays.asList(schema.fields()));
        for (StructField added : added(model, defects)) {
            if (all.stream().anyMatch(field -> field.name().equals(added.name()))) {
                throw new IllegalArgumentException("there is a column '" + added.name()
                        + "' already; choose another name for Gramian's column, or omit it");
            }
            all.add(added);
        }
        return new StructType(all.toArray(StructField[]::new));
    }

    /** In the order in which {@link #extended} adds values. */
    private List<StructField> added(ModelDescription model, boolean defects) {
        List<StructField> added = new ArrayList<>();
        if (!prediction.isEmpty()) {
            Metadata labels = NominalAttribute.defaultAttr()
                    .withName(prediction)
                    .withValues(model.classes().toArray(String[]::new))
                    .toMetadata();
            added.add(new StructField(prediction, DataTypes.DoubleType, true, labels));
        }
        if (!probability.isEmpty()) {
            added.add(vector(probability, model.classes().size()));
        }
        if (!descriptor.isEmpty()) {
            int length = defects ? 1 : model.network().descriptorLength(model.inputChannels());
            added.add(vector(descriptor, length));
        }
        if (!novelty.isEmpty()) {
            added.add(new StructField(novelty, DataTypes.DoubleType, true, Metadata.empty()));
        }
        if (!set.isEmpty()) {
            added.add(new StructField(
                    set, DataTypes.createArrayType(DataTypes.StringType, false), true, Metadata.empty()));
        }
        if (!error.isEmpty()) {
            added.add(new StructField(error, DataTypes.StringType, true, Metadata.empty()));
        }
        return added;
    }

    /** A row with our values after its own; nulls without a reading. */
    Row extended(Row row, @Nullable Reading reading, @Nullable String reason) {
        List<@Nullable Object> values = new ArrayList<>(row.size() + 6);
        for (int i = 0; i < row.size(); i++) {
            values.add(row.get(i));
        }
        if (!prediction.isEmpty()) {
            values.add(reading == null ? null : (double) reading.prediction().predicted());
        }
        if (!probability.isEmpty()) {
            values.add(reading == null ? null : vector(reading.prediction().probabilities()));
        }
        if (!descriptor.isEmpty()) {
            values.add(reading == null ? null : vector(reading.descriptor()));
        }
        if (!novelty.isEmpty()) {
            values.add(reading == null ? null : reading.prediction().novelty().orElseThrow());
        }
        if (coverage != null && !set.isEmpty()) {
            values.add(reading == null ? null : labels(reading.prediction().set(coverage)));
        }
        if (!error.isEmpty()) {
            values.add(reason);
        }
        return RowFactory.create(values.toArray());
    }

    private static Vector vector(float[] floats) {
        double[] wide = new double[floats.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = floats[i];
        }
        return Vectors.dense(wide);
    }

    private static scala.collection.Seq<String> labels(List<Prediction.Candidate> candidates) {
        return CollectionConverters.asScala(
                        candidates.stream().map(Prediction.Candidate::label).toList())
                .toSeq();
    }

    private static StructField vector(String name, int length) {
        StructField field = new AttributeGroup(name, length).toStructField();
        return new StructField(name, field.dataType(), true, field.metadata());
    }
}
