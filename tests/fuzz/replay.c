/* Runs the fuzz target on the files named, for machines without libFuzzer. */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        uint8_t data[4096];
        FILE *file = fopen(names[i], "rb");
        if (!file) return 2;
        const size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%d inputs\n", count - 1);
    return 0;
}
