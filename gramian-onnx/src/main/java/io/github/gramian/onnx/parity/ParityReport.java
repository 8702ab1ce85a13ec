package io.github.gramian.onnx.parity;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * How far an exported file is from the model it was made of.
 *
 * @param toFloat against the model in float
 * @param toDouble against the model in double
 * @param images that were compared
 * @param rejected files that are not images
 * @param bytes of the exported file, with its data
 * @param opset the version of ONNX's operators
 */
@JsonPropertyOrder({"maxProbabilityDifference", "meanProbabilityDifference", "topAgreement", "images", "bytes", "opset"
})
public record ParityReport(
        @JsonIgnore Difference toFloat,
        @JsonIgnore Difference toDouble,
        @JsonProperty int images,
        @JsonIgnore int rejected,
        @JsonProperty long bytes,
        @JsonProperty int opset) {

    /**
     * The distance of two engines' probabilities.
     *
     * @param max the largest of all images and classes
     * @param mean over all images and classes
     * @param topAgreement fraction of images with the same most probable class
     */
    public record Difference(double max, double mean, double topAgreement) {}

    @JsonProperty
    public double maxProbabilityDifference() {
        return toFloat.max();
    }

    @JsonProperty
    public double meanProbabilityDifference() {
        return toFloat.mean();
    }

    @JsonProperty
    public double topAgreement() {
        return toFloat.topAgreement();
    }

    /** Whether no probability differs by more and no image has another class. */
    public boolean within(double tolerance) {
        return toFloat.max() <= tolerance && toFloat.topAgreement() == 1;
    }
}
