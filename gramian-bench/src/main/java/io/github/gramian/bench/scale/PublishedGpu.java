package io.github.gramian.bench.scale;

/**
 * What somebody else measured on a GPU that we do not have: ResNet-50 v1.5 at 224 pixels, mixed precision, PyTorch.
 *
 * @param name of the GPU
 * @param imagesPerSecond at batch 256
 * @param oneImageMillis average latency at batch 1
 */
record PublishedGpu(String name, double imagesPerSecond, double oneImageMillis) {

    static final String SOURCE = "NVIDIA DeepLearningExamples, PyTorch/Classification/ConvNets/resnet50v1.5/README.md,"
            + " “Inference performance results”, mixed precision, PyTorch container 21.03";

    static final String ADDRESS = "https://github.com/NVIDIA/DeepLearningExamples/tree/master/PyTorch/Classification"
            + "/ConvNets/resnet50v1.5";

    static final PublishedGpu T4 = new PublishedGpu("NVIDIA T4", 1198, 12.96);

    static final PublishedGpu V100 = new PublishedGpu("NVIDIA V100 16 GB", 3382, 12.78);

    /** Operations of ResNet-50 v1.5 for an image: 4.1 billion multiplications, each with an addition. */
    static final double BACKBONE_GFLOP = 8.2;

    /**
     * Of the network behind it in the standard recipe: a 1×1 convolution from 2048 to 256 channels at 49 positions, MMᵀ,
     * and a classifier of 100 classes on 256·257/2 numbers.
     */
    static final double NETWORK_GFLOP = 2e-9 * (2048.0 * 256 * 49 + 256.0 * 256 * 49 + 100.0 * 256 * 257 / 2);

    /** Seconds for so many images, the network behind the backbone counted at the backbone's operations a second. */
    double seconds(double images) {
        double backbone = images == 1 ? oneImageMillis / 1e3 : images / imagesPerSecond;
        return backbone * (1 + NETWORK_GFLOP / BACKBONE_GFLOP);
    }
}
