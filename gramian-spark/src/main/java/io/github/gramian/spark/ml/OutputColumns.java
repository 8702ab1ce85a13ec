package io.github.gramian.spark.ml;

import io.github.gramian.model.internal.ModelDescription;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Names of the columns that a stage reads and adds; an empty one is not added. */
record OutputColumns(
        String input,
        String prediction,
        String probability,
        String descriptor,
        CertaintyColumns certainty,
        String error)
        implements Serializable {

    OutputColumns {
        if (prediction.isEmpty() && probability.isEmpty() && descriptor.isEmpty() && certainty.isEmpty()) {
            throw new IllegalArgumentException("nothing to do: name at least one of predictionCol, probabilityCol,"
                    + " descriptorCol and noveltyCol, or set a coverage");
        }
    }

    /** The schema with our columns after it, if it has the images and our names are free. */
    StructType checked(StructType schema, ModelDescription model) {
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
        for (StructField added : added(model)) {
            if (all.stream().anyMatch(field -> field.name().equals(added.name()))) {
                throw new IllegalArgumentException("there is a column '" + added.name()
                        + "' already; choose another name for Gramian's column, or omit it");
            }
            all.add(added);
        }
        return new StructType(all.toArray(StructField[]::new));
    }

    /** In the order in which {@link RowScoring} adds values. */
    private List<StructField> added(ModelDescription model) {
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
            added.add(vector(descriptor, model.network().descriptorLength(model.inputChannels())));
        }
        added.addAll(certainty.fields());
        if (!error.isEmpty()) {
            added.add(new StructField(error, DataTypes.StringType, true, Metadata.empty()));
        }
        return added;
    }

    private static StructField vector(String name, int length) {
        StructField field = new AttributeGroup(name, length).toStructField();
        return new StructField(name, field.dataType(), true, field.metadata());
    }
}
