@echo off
rem Starts gramian; the settings are those of the script for other systems: JAVA_HOME, GRAMIAN_THREADS, GRAMIAN_JAVA_OPTS.
setlocal
set "home=%~dp0.."
set "java=java"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java"
if defined GRAMIAN_THREADS set "OMP_NUM_THREADS=%GRAMIAN_THREADS%"
set "OPENBLAS_NUM_THREADS=1"
set "blas="
if exist "%home%\lib\mkl-*.jar" set "blas=-Dorg.bytedeco.openblas.load=mkl"
set "extension=-Dorg.bytedeco.javacpp.platform.extension=-cpu"
if exist "%home%\lib\pytorch-*-gpu.jar" set "extension="
for %%j in ("%home%\lib\gramian-cli-*.jar") do set "jar=%%j"
"%java%" -Dorg.bytedeco.javacpp.maxBytes=0 -Dorg.bytedeco.javacpp.maxPhysicalBytes=0 %blas% %extension% %GRAMIAN_JAVA_OPTS% -jar "%jar%" %*
exit /b %ERRORLEVEL%
